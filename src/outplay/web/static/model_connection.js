// The talk with an engine in the kernel of a notebook, by messages of the widget's model.

import {Requests} from "./requests.js";

export class ModelConnection extends Requests {
  constructor(model, {onpush}) {
    super(onpush, Math.floor(Math.random() * 2 ** 40)); // the same widget may be shown twice
    this.model = model;
    this.listener = message => this.receive(message);
    model.on("msg:custom", this.listener);
  }

  send(message) {
    this.model.send(message);
  }

  close() {
    this.model.off("msg:custom", this.listener);
  }
}
