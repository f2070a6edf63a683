// The talk with the engine. Only this module knows that it goes over a WebSocket: an engine within the page, or in a
// notebook's kernel, needs another class with `request`, `onpush` and `onstate`.

const FIRST_WAIT = 250;
const LONGEST_WAIT = 8000;

export class Connection {
  /** `onpush(message)` gets what nobody asked for; `onstate(open)` tells when the connection opens and breaks. */
  constructor(url, {onpush, onstate}) {
    this.url = url;
    this.onpush = onpush;
    this.onstate = onstate;
    this.waiting = new Map();
    this.lastId = 0;
    this.wait = FIRST_WAIT;
    this.open();
  }

  open() {
    this.socket = new WebSocket(this.url);
    this.socket.onopen = () => {
      this.wait = FIRST_WAIT;
      this.onstate(true);
    };
    this.socket.onmessage = event => this.receive(JSON.parse(event.data));
    this.socket.onclose = () => {
      for (const {reject} of this.waiting.values()) reject(new Error("disconnected"));
      this.waiting.clear();
      this.onstate(false);
      setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
    };
  }

  /** Send a request. Resolves to the answer; rejects with an `Error` if the engine refuses it. */
  request(type, fields = {}) {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      if (this.socket.readyState !== WebSocket.OPEN) {
        reject(new Error("disconnected"));
        return;
      }
      this.waiting.set(id, {resolve, reject});
      this.socket.send(JSON.stringify({...fields, type, id}));
    });
  }

  receive(message) {
    const asked = this.waiting.get(message.re);
    this.waiting.delete(message.re);
    if (!asked) {
      if (message.re === undefined || message.re === null) this.onpush(message);
    } else if (message.type === "error") {
      asked.reject(Object.assign(new Error(message.text), {where: message.where}));
    } else {
      asked.resolve(message);
    }
  }
}
