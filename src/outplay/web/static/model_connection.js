// The talk with an engine in the kernel of a notebook, by messages of the widget's model: what `connection.js` is for a
// page.

export class ModelConnection {
  constructor(model, {onpush}) {
    this.model = model;
    this.waiting = new Map();
    this.lastId = Math.floor(Math.random() * 2 ** 40); // the same widget may be shown twice
    this.listener = message => this.receive(message, onpush);
    model.on("msg:custom", this.listener);
  }

  request(type, fields = {}) {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, {resolve, reject});
      this.model.send({...fields, type, id});
    });
  }

  receive(message, onpush) {
    const asked = this.waiting.get(message.re);
    this.waiting.delete(message.re);
    if (asked && message.type === "error") asked.reject(new Error(message.text));
    else if (asked) asked.resolve(message);
    else if (message.re === undefined) onpush(message);
  }

  close() {
    this.model.off("msg:custom", this.listener);
  }
}
