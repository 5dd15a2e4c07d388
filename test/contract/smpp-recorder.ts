import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

const SUBMIT_SM = 4;

/** Stands between a driver and its SMSC: hands every byte on as it is, and keeps those that the driver wrote. */
export class SmppRecorder {
  private readonly sockets = new Set<Socket>();
  private written: Buffer[] = [];

  private constructor(private readonly server: Server) {}

  static async open(target: number): Promise<SmppRecorder> {
    const server = createServer();
    const recorder = new SmppRecorder(server);
    server.on('connection', (driver) => {
      const carrier = connect(target, '127.0.0.1');
      for (const socket of [driver, carrier]) {
        recorder.sockets.add(socket);
        socket.on('error', () => undefined);
      }
      driver.on('data', (chunk: Buffer) => recorder.written.push(chunk));
      driver.pipe(carrier).pipe(driver);
    });
    server.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    return recorder;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The submit_sm that were written, whole. */
  submits(): Buffer[] {
    const bytes = Buffer.concat(this.written);
    const pdus: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at)) {
      pdus.push(bytes.subarray(at, at + bytes.readUInt32BE(at)));
    }
    return pdus.filter((pdu) => pdu.readUInt32BE(4) === SUBMIT_SM);
  }

  clear(): void {
    this.written = [];
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
