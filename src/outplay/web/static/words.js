// The words of the page, in English and Chinese. `{name}` in a text is replaced by a value.

const ENGLISH = {
  "title": "Play and explore any game",
  "subtitle": "Click a game to play it against the search, with others, or to see the value of every move.",
  "games": "Games", "your games": "Your games", "find": "Find a game", "nothing found": "No game has this name.",
  "open record": "Open a record", "language": "中文", "loading": "Connecting …", "lost": "Connection lost. Trying again …",
  "players": "{count} players", "one player": "1 player", "chance": "chance", "hidden": "hidden information",
  "new game": "New game", "close": "Close", "cancel": "Cancel", "play": "Play", "explore": "Explore",
  "opponent": "Play against", "computer": "The computer", "computers": "Computers", "here": "Someone at this screen",
  "by link": "Someone by link", "watch": "Watch computers play", "alone": "Play alone", "you play": "You play", "random side": "A random side",
  "level": "Level", "time": "Clock", "no clock": "No clock", "more options": "More options",
  "player": "Player {player}", "start from": "Start from a position (optional)",
  "enter chance": "Enter dice and cards myself", "custom": "Another player, as text",
  "board": "The board", "target": "can go here", "can move": "can be played",
  "your turn": "Your turn", "turn of": "{player} to play", "thinking": "{player} is thinking …", "waiting": "Waiting for {player}",
  "rolling": "Chance", "enter what happens": "Enter what chance brings", "looking back": "You are looking at an earlier position.",
  "back to game": "Back to the game", "you": "you", "person": "person", "played": "{player}: {move}", "over": "Game over",
  "choose": "Which one?", "moves": "Moves", "no moves": "No moves yet.", "first": "To the start", "previous": "Back", "next": "Forward",
  "last": "To the end", "undo": "Undo", "asks undo": "{player} asks to take a move back.", "asked undo": "You have asked to take a move back.",
  "allow": "Allow", "decline": "Decline", "declined": "The move stands.", "resign": "Resign", "resign sure": "Resign this game?", "flip": "Turn", "share": "Share",
  "tools": "Tools", "let play": "Let {player} play from here", "type move": "Type a move",
  "roll": "Roll", "depth": "depth {depth}", "nodes": "{nodes} positions",
  "from table": "from a solved table", "from book": "from a book", "book": "book", "proved": "proved", "estimate": "estimated", "searching": "Searching …",
  "move": "Move", "value": "Value", "best line": "Best line", "value of": "Value for the player to move", "no values": "No values here: the game is over.",
  "curve": "Course of the game",
  "curve label": "Values over the game. At the top, {player} wins.", "why": "Watch the search step by step", "map": "All solved states", "map hint": "Click a piece: each place shows the value for the player to move with this piece there.",
  "map shown": "{piece}: the value for the player to move, and the moves to the end, with it on each other place.",
  "map empty": "{piece}: no other place for it is in the table.", "no map": "Pieces cannot be moved here, as positions of this game have no text.",
  "states": "States", "longest": "Longest", "steps": "Step by step", "algorithm": "Algorithm",
  "link of position": "Link to this position", "link to watch": "Link to watch this game", "link of seat": "Link for {player}",
  "copy": "Copy", "copied": "Copied",
  "set up": "Set up", "set up hint": "The text of a position. A new game starts from it.",
  "import": "Open", "import hint": "Paste a record, or choose a file.", "file": "File", "open": "Open", "export": "Save", "download": "Save file", "format": "Format",
  "text board": "The board as text", "yes": "Yes", "no": "No",
  "rules changed": "The rules of {game} changed. Games go on by the new ones.", "play new rules": "Play again from the start", "rules wrong": "{game} has a mistake:", "line": "line {line}",
  "skip": "Skip to the board", "actions": "Moves beside the board",
  "elapsed": "time left", "variation": "Variation",
};

const CHINESE = {
  "title": "下任何一种棋，分析任何一种棋",
  "subtitle": "点一个游戏：与搜索程序对局，与他人对局，或查看每一步的价值。",
  "games": "游戏", "your games": "你的游戏", "find": "查找游戏", "nothing found": "没有这个名字的游戏。",
  "open record": "打开棋谱", "language": "English", "loading": "正在连接……", "lost": "连接已断开，正在重试……",
  "players": "{count} 人", "one player": "1 人", "chance": "有随机", "hidden": "有隐藏信息",
  "new game": "新对局", "close": "关闭", "cancel": "取消", "play": "开始对局", "explore": "分析",
  "opponent": "对手", "computer": "电脑", "computers": "电脑", "here": "同一屏幕的另一人",
  "by link": "通过链接加入的人", "watch": "观看电脑对局", "alone": "单人", "you play": "你执", "random side": "随机",
  "level": "水平", "time": "用时", "no clock": "不计时", "more options": "更多选项",
  "player": "玩家 {player}", "start from": "从指定局面开始（可选）",
  "enter chance": "骰子和牌由我输入", "custom": "其他棋手（文本）",
  "board": "棋盘", "target": "可以走到这里", "can move": "可以走",
  "your turn": "轮到你了", "turn of": "轮到 {player}", "thinking": "{player} 正在思考……", "waiting": "等待 {player}",
  "rolling": "随机", "enter what happens": "请输入随机结果", "looking back": "你正在看以前的局面。",
  "back to game": "回到对局", "you": "你", "person": "人", "played": "{player}：{move}", "over": "对局结束",
  "choose": "选择哪一个？", "moves": "着法", "no moves": "还没有着法。", "first": "到开头", "previous": "后退", "next": "前进",
  "last": "到结尾", "undo": "悔棋", "asks undo": "{player} 请求悔棋。", "asked undo": "已请求悔棋，等待对方答复。",
  "allow": "同意", "decline": "拒绝", "declined": "对方没有同意悔棋。", "resign": "认输", "resign sure": "确定认输吗？", "flip": "翻转", "share": "分享",
  "tools": "工具", "let play": "让 {player} 从这里继续", "type move": "输入着法",
  "roll": "掷骰", "depth": "深度 {depth}", "nodes": "{nodes} 个局面",
  "from table": "来自已解的表", "from book": "来自开局库", "book": "开局库", "proved": "已证明", "estimate": "估计", "searching": "正在搜索……",
  "move": "着法", "value": "价值", "best line": "最佳变化", "value of": "对走棋方的价值", "no values": "对局已结束，没有价值可显示。",
  "curve": "局势走向",
  "curve label": "整局的价值；最上面为 {player} 胜。", "why": "逐步观看搜索过程", "map": "全部已解状态", "map hint": "点一个棋子：每一格显示该子放在那里时走棋方的价值。",
  "map shown": "{piece}：放在其他各格时走棋方的价值，以及到终局的步数。",
  "map empty": "{piece}：表中没有它放在其他位置的局面。", "no map": "这个游戏的局面没有文本形式，因此不能移动棋子。",
  "states": "状态数", "longest": "最长", "steps": "逐步演示", "algorithm": "算法",
  "link of position": "此局面的链接", "link to watch": "观战链接", "link of seat": "{player} 的链接",
  "copy": "复制", "copied": "已复制",
  "set up": "摆局面", "set up hint": "局面的文本；将从它开始新的对局。",
  "import": "打开", "import hint": "粘贴棋谱，或选择文件。", "file": "文件", "open": "打开", "export": "保存", "download": "保存文件", "format": "格式",
  "text board": "文字棋盘", "yes": "是", "no": "否",
  "rules changed": "{game} 的规则已更新，对局按新规则继续。", "play new rules": "重新开局", "rules wrong": "{game} 有错误：", "line": "第 {line} 行",
  "skip": "跳到棋盘", "actions": "棋盘外的着法",
  "elapsed": "剩余时间", "variation": "变化",
};

/** What the engine says: a pattern, and the same in Chinese. */
const ENGINE_IN_CHINESE = [
  [/^white$/, "白方"], [/^black$/, "黑方"], [/^red$/, "红方"], [/^blue$/, "蓝方"], [/^green$/, "绿方"], [/^yellow$/, "黄方"],
  [/^player (\d+)$/, "玩家 $1"], [/^level (\d+)$/, "等级 $1"], [/^(.+), level (\d+)$/, "$1，等级 $2"], [/^random$/, "随机着法"],
  [/^(.+) to (?:move|play)$/, "轮到 $1"], [/^(.+) wins$/, "$1 胜"], [/^(.+) resigned$/, "$1 认输"],
  [/^(.+) lost on time$/, "$1 超时"], [/^at least (.+)$/, "至少 $1"], [/^at most (.+)$/, "至多 $1"],
  [/^win in (\d+)$/, "$1步胜"], [/^loss in (\d+)$/, "$1步负"], [/^win$/, "胜"], [/^loss$/, "负"], [/^draw$/, "和"],
  [/^preparing: the rules are compiled once$/, "正在编译规则，只需一次"], [/^the search found no values$/, "搜索没有得到价值"],
  [/^(white|black|red|blue|green|yellow) (.+)$/, "$1 $2"],
];

const LANGUAGES = {en: ENGLISH, zh: CHINESE};

export let language = "en";

/** Choose the language: the one that was chosen before, else that of the browser. */
export function chooseLanguage(chosen) {
  if (chosen) remember("language", chosen);
  const wanted = chosen ?? remembered("language") ?? navigator.language.slice(0, 2);
  language = wanted in LANGUAGES ? wanted : "en";
}

/** A text of the page. */
export function say(key, values = {}) {
  return unspaced(LANGUAGES[language][key].replace(/\{(\w+)\}/g, (_, name) => values[name]));
}

/** Chinese words stand without spaces between them. */
function unspaced(text) {
  return text.replace(/(?<=\p{Script=Han}) (?=\p{Script=Han})/gu, "");
}

/** Words of the engine, such as names of players, values and results, in the language of the page, if it is known how. */
export function translated(text) {
  if (language !== "zh" || !text) return text;
  for (const [pattern, chinese] of ENGINE_IN_CHINESE) {
    const match = text.match(pattern);
    if (match) return unspaced(chinese.replace(/\$(\d)/g, (_, number) => translated(match[number])));
  }
  return text;
}

export function remember(key, value) {
  try { localStorage.setItem(`outplay-${key}`, value); } catch { /* private window */ }
}

export function remembered(key) {
  try { return localStorage.getItem(`outplay-${key}`); } catch { return null; }
}

/** The texts that one language has and another has not; none, or a test fails. */
export function missingWords() {
  const all = new Set(Object.values(LANGUAGES).flatMap(words => Object.keys(words)));
  return Object.entries(LANGUAGES).flatMap(([name, words]) => [...all].filter(key => !(key in words)).map(key => `${name}: ${key}`));
}
