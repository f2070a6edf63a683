// From clicked cells to an action. An action lies on the board as a list of cells, which are picked in this order. It may
// also be picked by its first cells and its last one, if no other action ends there.

/** The actions that begin with the chosen cells. */
export function candidates(actions, chosen) {
  return actions.filter(({cells}) => cells.length > 0 && chosen.every((cell, index) => cells[index] === cell));
}

/** The cells that can be picked next, and for each the actions that then remain. */
export function nextCells(actions, chosen) {
  const next = new Map();
  const ends = new Map();
  const add = (map, cell, action) => map.set(cell, [...(map.get(cell) ?? []), action]);
  for (const action of candidates(actions, chosen)) {
    const {cells} = action;
    if (cells.length > chosen.length) add(next, cells[chosen.length], action);
    if (chosen.length > 0 && cells.length > chosen.length + 1) add(ends, cells.at(-1), action);
  }
  for (const [cell, ending] of ends) if (ending.length === 1 && !next.has(cell)) next.set(cell, ending);
  return next;
}

/**
 * What a click on a cell means: the cells that are chosen from now on, the actions that are `complete` with them, and
 * whether nothing else can follow, so that one of these is to be played now.
 */
export function pick(actions, chosen, cell) {
  const complete = cells => candidates(actions, cells).filter(action => action.cells.length === cells.length);
  const remaining = nextCells(actions, chosen).get(cell);
  if (remaining) {
    const isShortcut = remaining.every(action => action.cells[chosen.length] !== cell);
    const cells = isShortcut ? remaining[0].cells : [...chosen, cell];
    const ready = complete(cells);
    return {chosen: cells, complete: ready, final: ready.length > 0 && ready.length === candidates(actions, cells).length};
  }
  if (chosen.at(-1) === cell) {
    const ready = complete(chosen);
    return ready.length ? {chosen, complete: ready, final: true} : {chosen: [], complete: [], final: false};
  }
  return chosen.length ? pick(actions, [], cell) : {chosen: [], complete: [], final: false};
}
