from outplay.games.connect_four import ConnectFour
