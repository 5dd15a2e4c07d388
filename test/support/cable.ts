import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

interface Line {
  near: Socket;
  far: Socket;
}

/** A line to the database that can be cut or fall silent, so that one process loses a server that others go on using. */
export class Cable {
  private readonly lines = new Set<Line>();
  private server: Server | null = null;
  private isSilent = false;
  private readonly spoken = new Set<string>();

  /** @param listened words that are looked for in what is said on the near end */
  constructor(private readonly listened: readonly string[] = []) {}

  /** @returns the port of 127.0.0.1 that now leads to `target` */
  async plug(target: URL): Promise<number> {
    // as it is now: the caller may go on to make of it the address of this end
    const { hostname } = target;
    const port = Number(target.port || 3306);
    this.server = createServer((near) => this.lay(near, connect(port, hostname)));
    await new Promise<void>((resolve) => this.server?.listen(0, '127.0.0.1', resolve));
    return (this.server.address() as AddressInfo).port;
  }

  /** Which of the words were said. */
  get heard(): string[] {
    return [...this.spoken];
  }

  /** How many connections were ever made, and are there. */
  get connections(): number {
    return [...this.lines].filter(({ near, far }) => !near.destroyed && !far.destroyed).length;
  }

  /** Nothing comes through any more, in neither direction, and neither end learns of it: a peer that drops packets. */
  silence({ newToo }: { newToo: boolean }): void {
    this.isSilent = newToo;
    for (const line of this.lines) mute(line);
  }

  /** New connections come through again; those that fell silent stay so. */
  heal(): void {
    this.isSilent = false;
  }

  async cut(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server?.close(() => resolve()));
    for (const { near, far } of this.lines) {
      near.destroy();
      far.destroy();
    }
    await closed;
  }

  private lay(near: Socket, far: Socket): void {
    const line = { near, far };
    this.lines.add(line);
    for (const socket of [near, far]) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        // one end may outlive the other: silent, with something unread, it does not learn that its peer is gone
        if (near.destroyed && far.destroyed) this.lines.delete(line);
      });
    }
    if (this.listened.length > 0) this.listen(near);
    if (this.isSilent) mute(line);
    else near.pipe(far).pipe(near);
  }

  private listen(near: Socket): void {
    let tail = Buffer.alloc(0);
    near.on('data', (piece: Buffer) => {
      const text = Buffer.concat([tail, piece]);
      for (const word of this.listened) if (text.includes(word)) this.spoken.add(word);
      tail = text.subarray(-TAIL);
    });
  }
}

/** enough of the last piece that a word which two pieces share is whole */
const TAIL = 256;

function mute({ near, far }: Line): void {
  near.unpipe(far).pause();
  far.unpipe(near).pause();
}
