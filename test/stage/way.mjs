import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { lastingPort } from './ports.mjs';

/** Bytes that wait for the other end before we stop reading: with a silent way both ends then see a full window. */
const MOST_WAITING = 1024 * 1024;

/** One direction of a line: what came waits for its moment, in order. */
class Lane {
  #queue = [];
  #bytes = 0;
  #timer = null;
  #ended = false;
  held = false;

  constructor(from, to, line) {
    Object.assign(this, { from, to, line });
  }

  put(chunk, delayMs) {
    this.#queue.push({ chunk, due: performance.now() + delayMs });
    this.#bytes += chunk.length;
    if (this.#bytes > MOST_WAITING) this.from.pause();
    this.flow();
  }

  end() {
    this.#ended = true;
    this.flow();
  }

  /** Hands on what is due. */
  flow() {
    clearTimeout(this.#timer);
    if (this.held || this.line.isSilent) return;
    for (;;) {
      const next = this.#queue[0];
      if (next === undefined) break;
      const wait = next.due - performance.now();
      if (wait > 0) {
        this.#timer = setTimeout(() => this.flow(), wait);
        return;
      }
      this.#queue.shift();
      this.#bytes -= next.chunk.length;
      this.to.write(next.chunk);
    }
    if (this.from.isPaused() && !this.#ended) this.from.resume();
    if (this.#ended) this.to.end();
  }
}

/** One connection through a way. `notes` is for those who listen on it (`Way.tap`). */
class Line {
  isSilent = false;
  notes = {};
  #broken = false;

  constructor(way, near, far) {
    Object.assign(this, { way, near, far });
    this.toServer = new Lane(near, far, this);
    this.toClient = new Lane(far, near, this);
  }

  lay() {
    const sides = [
      [this.near, this.toServer, 'client'],
      [this.far, this.toClient, 'server'],
    ];
    for (const [socket, lane, from] of sides) {
      socket.setNoDelay(true);
      socket.on('data', (chunk) => {
        for (const listen of this.way.taps) if (listen({ from, chunk, line: this }) === 'hold') lane.held = true;
        lane.put(chunk, this.way.delayMs);
      });
      socket.on('end', () => lane.end());
      socket.on('error', () => this.#break());
      socket.on('close', (hadError) => (hadError || socket.destroyed) && this.#break());
    }
  }

  /** One end is gone. On a silent way the other one does not learn of it before the way is healed. */
  #break() {
    this.#broken = true;
    if (!this.isSilent) setImmediate(() => this.#endAfterLast());
  }

  /** What was underway arrives before the end does. */
  #endAfterLast() {
    const ends = [
      [this.near, this.far, this.toClient],
      [this.far, this.near, this.toServer],
    ];
    for (const [end, other, lane] of ends) if (other.destroyed && !end.destroyed) lane.end();
    if (this.near.destroyed && this.far.destroyed) this.way.forget(this);
    else if (this.near.destroyed || this.far.destroyed) setTimeout(() => this.destroy(), this.way.delayMs + 50).unref();
  }

  /** What was held back goes on. */
  release() {
    this.toServer.held = this.toClient.held = false;
    this.flow();
  }

  flow() {
    this.toServer.flow();
    this.toClient.flow();
    if (this.#broken) this.#break();
  }

  /** Ends at once, as a reset does. */
  destroy() {
    for (const socket of [this.near, this.far]) {
      if (!socket.destroyed) socket.resetAndDestroy();
    }
    this.way.forget(this);
  }
}

/**
 * A way over TCP to a server, which a test can cut, delay, silence, close and heal; the address stays. What goes over it can
 * be listened to and held back, so that something happens at an exact moment of the protocol.
 */
export class Way {
  #server = null;
  #isSilent = false;
  lines = new Set();
  taps = new Set();
  delayMs = 0;

  /** @param {() => { host?: string, port: number }} target asked at each connection: a server may come back elsewhere */
  constructor(target) {
    this.target = target;
  }

  static async open(target) {
    const way = new Way(typeof target === 'function' ? target : () => target);
    way.port = await lastingPort();
    await way.#listen();
    return way;
  }

  async #listen() {
    this.#server = createServer({ allowHalfOpen: true }, (near) => this.#lay(near));
    this.#server.listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  #lay(near) {
    const { host = '127.0.0.1', port } = this.target();
    const far = connect({ host, port, allowHalfOpen: true });
    const line = new Line(this, near, far);
    line.isSilent = this.#isSilent;
    this.lines.add(line);
    line.lay();
  }

  forget(line) {
    this.lines.delete(line);
  }

  /** The same URL by this way. */
  through(url) {
    const own = new URL(url);
    own.hostname = '127.0.0.1';
    own.port = String(this.port);
    return own.href;
  }

  /**
   * Hears every chunk before it is handed on: `{ from: 'client' | 'server', chunk, line }`. Answering 'hold' keeps this chunk and
   * all after it in this direction until `line.release()`. @returns a function that ends it
   */
  tap(listen) {
    this.taps.add(listen);
    return () => this.taps.delete(listen);
  }

  /** Every connection is reset; new ones come through. */
  cut() {
    for (const line of [...this.lines]) line.destroy();
  }

  /** Every connection is reset, new ones are refused. */
  async refuse() {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    const closed = once(server, 'close');
    server.close();
    this.cut();
    await closed;
  }

  /** Nothing comes through, in neither direction, and neither end learns of it: packets are dropped. */
  silence({ newToo = true } = {}) {
    this.#isSilent = newToo;
    for (const line of this.lines) line.isSilent = true;
  }

  /** Everything takes so much longer, in each direction. */
  delay(milliseconds) {
    this.delayMs = milliseconds;
  }

  /**
   * As it was. Lines that fell silent go on where they were, as TCP does when packets come through again.
   * @param {{ lines?: boolean }} [options] lines: false resets them instead
   */
  async heal({ lines = true } = {}) {
    this.#isSilent = false;
    this.delayMs = 0;
    if (this.#server === null) await this.#listen();
    for (const line of [...this.lines]) {
      const wasSilent = line.isSilent;
      line.isSilent = false;
      if (wasSilent && !lines) line.destroy();
      else line.release();
    }
  }

  async close() {
    this.taps.clear();
    await this.refuse();
  }
}
