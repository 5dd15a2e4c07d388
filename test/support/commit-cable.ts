import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * How the next connection ends that sends a COMMIT, or a packet of statements with one:
 * - `before`: the server never sees it
 * - `after`: it has committed, and its answer is lost
 * - `late`: the client's end is cut, and the server sees it only when `deliver` is called
 */
export type Cut = 'before' | 'after' | 'late';

const COM_QUERY = 3;
/** With query attributes (MySQL) the text comes after their number and that of their sets: none, in one set. */
const COMMITS = [[], [0, 1]].map((attributes) =>
  Buffer.concat([Buffer.from([COM_QUERY, ...attributes]), Buffer.from('COMMIT')]),
);
const HEADER_BYTES = 4;
/** A packet of statements ends so. */
const ENDS = Buffer.from(';\nCOMMIT');

const isCommit = (chunk: Buffer): boolean =>
  chunk.subarray(-ENDS.length).equals(ENDS) || COMMITS.some((commit) => chunk.subarray(HEADER_BYTES).equals(commit));

/** A line to the database that is cut at a COMMIT. */
export class CommitCable {
  private server: Server | null = null;
  private readonly sockets = new Set<Socket>();
  private readonly nears = new Set<Socket>();
  private cuts: Cut[] = [];
  private held: (() => void) | null = null;
  /** COMMITs that were cut off */
  cutOff = 0;

  /** @returns the URL of the database through this line */
  async plug(url: string): Promise<string> {
    const { hostname, port } = new URL(url);
    this.server = createServer((near) => this.lay(near, connect(Number(port || 3306), hostname)));
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    const through = new URL(url);
    through.port = String((this.server.address() as AddressInfo).port);
    return through.href;
  }

  /** The next COMMITs end so, one after the other. */
  cutNext(...cuts: Cut[]): void {
    this.cuts = cuts;
  }

  /** What a `late` cut held back reaches the server. */
  deliver(): void {
    this.held?.();
    this.held = null;
  }

  /** Ends the client's side of all connections; the server notices when it answers. */
  cutNow(): void {
    for (const near of this.nears) near.destroy();
  }

  async unplug(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    const { server } = this;
    if (!server) return;
    server.close();
    await once(server, 'close');
  }

  private lay(near: Socket, far: Socket): void {
    let cut: Cut | undefined;
    this.nears.add(near);
    near.on('close', () => this.nears.delete(near));
    for (const socket of [near, far]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.sockets.delete(socket));
    }
    far.on('data', (chunk) => {
      if (cut === undefined) near.write(chunk);
      else near.destroy();
    });
    far.on('close', () => near.destroy());
    near.on('close', () => cut === 'late' || far.destroy());
    near.on('data', (chunk) => {
      if (isCommit(chunk)) cut = this.cuts.shift();
      if (cut !== undefined) this.cutOff++;
      if (cut === undefined || cut === 'after') return void far.write(chunk);
      if (cut === 'late') this.held = () => far.end(chunk);
      near.destroy();
    });
  }
}
