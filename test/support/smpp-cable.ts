import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Command } from '../../src/platform/smpp/index.js';

/** A line to an SMSC that can keep the answers to texts of handsets from arriving. */
export class SmppCable {
  private server: Server | null = null;
  private readonly sockets = new Set<Socket>();
  private isHolding = false;
  /** answers to texts that were kept back */
  held = 0;

  /** @returns the port of this line to the SMSC at `port` */
  async plug(port: number): Promise<number> {
    this.server = createServer((near) => this.lay(near, connect(port, '127.0.0.1')));
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  hold(): void {
    this.isHolding = true;
  }

  release(): void {
    this.isHolding = false;
    this.held = 0;
  }

  async unplug(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    const { server } = this;
    if (!server) return;
    server.close();
    await once(server, 'close');
  }

  private lay(near: Socket, far: Socket): void {
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
    far.pipe(near);
    let unread = Buffer.alloc(0);
    near.on('data', (chunk) => {
      unread = Buffer.concat([unread, chunk]);
      while (unread.length >= 16 && unread.length >= unread.readUInt32BE(0)) {
        const pdu = unread.subarray(0, unread.readUInt32BE(0));
        unread = unread.subarray(pdu.length);
        if (this.isHolding && pdu.readUInt32BE(4) === Command.DeliverSmResp) this.held += 1;
        else far.write(pdu);
      }
    });
  }
}
