// Requests to the engine and their answers, by whatever way messages go: a subclass has `send(message)`, and gives each
// message that comes to `receive`.

export class Requests {
  /** `onpush(message)` gets what nobody asked for. */
  constructor(onpush, lastId = 0) {
    this.onpush = onpush;
    this.lastId = lastId;
    this.waiting = new Map();
  }

  /** Send a request. Resolves to the answer; rejects with an `Error` if the engine refuses it. */
  request(type, fields = {}) {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.send({...fields, type, id});
      this.waiting.set(id, {resolve, reject});
    });
  }

  receive(message) {
    const asked = this.waiting.get(message.re);
    this.waiting.delete(message.re);
    if (asked && message.type === "error") asked.reject(new Error(message.text));
    else if (asked) asked.resolve(message);
    else if (message.re === undefined || message.re === null) this.onpush(message);
  }

  /** No more answers will come to what was asked. */
  fail() {
    for (const {reject} of this.waiting.values()) reject(new Error("disconnected"));
    this.waiting.clear();
  }
}
