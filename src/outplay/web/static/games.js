// What the built-in games are called and are about, in English and Chinese, and the groups in which they are listed.
// Games of one's own have the name of their file and the first line of their docstring.

import {language} from "./words.js";

/** Of each group: its title, and its games. */
const GROUPS = [
  {en: "Lines and connections", zh: "连线与连接", games: {
    "connect-four": [["Connect Four", "Drop discs; four in a row win."], ["四子棋", "投子入列，先连成四子者胜。"]],
    "tic-tac-toe": [["Tic-tac-toe", "Three in a row on nine squares."], ["井字棋", "九格之中三子连线。"]],
    gomoku: [["Gomoku", "Five in a row on 15 × 15 points."], ["五子棋", "15 × 15 棋盘上五子连珠。"]],
    hex: [["Hex", "Connect your two sides; no draws."], ["六贯棋", "连接自己的两边，没有和棋。"]],
    mnk: [["m, n, k-game", "Lines of any length on any board."], ["m, n, k 棋", "任意棋盘，任意长度的连线。"]],
    "many-player-mnk": [["Three in a row for many", "Marks in a row, for two to eight players."], ["多人连线棋", "二至八人的连线棋。"]],
  }},
  {en: "Classics", zh: "经典棋类", games: {
    chess: [["Chess", "Mate the king."], ["国际象棋", "将死对方的王。"]],
    go: [["Go", "Surround the larger territory, on 9 × 9 points."], ["围棋", "9 路棋盘，围地多者胜。"]],
    "superko-go": [["Go with superko", "Go in which no position comes twice."], ["围棋（全局同形禁手）", "同一局面不得重现的围棋。"]],
    xiangqi: [["Xiangqi", "Chinese chess."], ["中国象棋", "将死对方的将帅。"]],
    othello: [["Othello", "Turn discs; most discs win."], ["黑白棋", "夹住翻转，子多者胜。"]],
    "english-draughts": [["Draughts (checkers)", "Jump over all men, on 8 × 8 squares."], ["西洋跳棋", "8 × 8 棋盘，跳吃对方的棋子。"]],
    "international-draughts": [["International draughts", "Long kings, on 10 × 10 squares."], ["国际跳棋", "10 × 10 棋盘，王可远行。"]],
    "nine-mens-morris": [["Nine Men's Morris", "Close mills and take men."], ["九子棋", "成三取子。"]],
    "chinese-checkers": [["Chinese Checkers", "Jump across the star."], ["中国跳棋", "跳到星盘对面。"]],
    kalah: [["Kalah", "Sow seeds; fill your store."], ["卡拉棋", "播种，收入自己的仓。"]],
    oware: [["Oware", "Sow and capture, as in Africa."], ["奥瓦雷", "非洲播棋。"]],
    backgammon: [["Backgammon", "Race and hit with two dice."], ["双陆棋", "掷骰竞速，打落单子。"]],
  }},
  {en: "Small and modern", zh: "小型与现代棋类", games: {
    breakthrough: [["Breakthrough", "Reach the other side first."], ["突破棋", "先到达对方底线者胜。"]],
    "dots-and-boxes": [["Dots and Boxes", "Close boxes, line by line."], ["点格棋", "画线围格。"]],
    domineering: [["Domineering", "Lay dominoes until no place is left."], ["多米诺棋", "放骨牌，无处可放者负。"]],
    einstein: [["EinStein würfelt nicht!", "A die chooses your stone."], ["爱恩斯坦棋", "骰子决定走哪颗子。"]],
    nim: [["Nim", "Take from heaps; the last one wins."], ["尼姆游戏", "取石子，取走最后一颗者胜。"]],
    pacman: [["Pac-Man", "Eat and flee from ghosts."], ["吃豆人", "吃豆，躲避幽灵。"]],
    pig: [["Pig", "Roll on, or hold?"], ["贪心骰", "继续掷，还是停？"]],
    2048: [["2048", "Slide tiles, alone against chance."], ["2048", "滑动方块，独自对抗随机。"]],
  }},
  {en: "Hidden information", zh: "隐藏信息", games: {
    "kuhn-poker": [["Kuhn poker", "One card each; pass or bet."], ["库恩扑克", "每人一张牌，过或下注。"]],
    "leduc-poker": [["Leduc poker", "Two rounds and an open card."], ["莱杜克扑克", "两轮下注，一张公共牌。"]],
    "river-poker": [["River poker", "The last round of hold'em."], ["河牌扑克", "德州扑克的最后一轮。"]],
    "liars-dice": [["Liar's Dice", "Bid, or doubt."], ["吹牛骰", "叫骰，或质疑。"]],
    "phantom-tic-tac-toe": [["Phantom tic-tac-toe", "You do not see the other's marks."], ["幽灵井字棋", "看不到对方的棋子。"]],
    "dark-hex": [["Dark Hex", "Hex without seeing the other's stones."], ["暗六贯棋", "看不到对方棋子的六贯棋。"]],
    battleship: [["Battleship", "Hide ships; find the other's."], ["海战棋", "藏船，找船。"]],
    goofspiel: [["Goofspiel", "Bid cards in secret."], ["古夫牌", "暗中出牌竞价。"]],
    "rock-paper-scissors": [["Rock, paper, scissors", "Both choose at once."], ["石头剪刀布", "同时出手。"]],
    "matching-pennies": [["Matching pennies", "Equal or not? Both choose at once."], ["猜硬币", "相同还是不同？同时选择。"]],
  }},
];

const TITLES = new Map(GROUPS.flatMap(group => Object.entries(group.games)));

/** A game as the page shows it: with its title and line in the language of the page. */
export function described(game) {
  const known = game.file ? undefined : TITLES.get(game.name);
  if (!known) return game;
  const [title, line] = known[language === "zh" ? 1 : 0];
  return {...game, title, line};
}

/** The games in groups: pairs of a title and games. Those that are in none come last, with the title `rest`. */
export function grouped(games, rest) {
  const groups = GROUPS.map(group => [
    group[language], Object.keys(group.games).map(name => games.find(game => game.name === name)).filter(Boolean),
  ]);
  return [...groups, [rest, games.filter(game => !TITLES.has(game.name))]].filter(([, members]) => members.length);
}
