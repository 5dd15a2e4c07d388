import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

const sha256 = (data: Buffer | string): Buffer => createHash('sha256').update(data).digest();
const url = (data: Buffer | string): string => Buffer.from(data).toString('base64url');
const PRESENT = 0x01;
const VERIFIED = 0x04;
const ATTESTED = 0x40;

/** A passkey of P-256 in software, as a browser and its authenticator answer: with attestation `none`. */
export class SoftPasskey {
  readonly id = url(randomBytes(32));
  private readonly key: KeyObject;
  private readonly publicKey: Buffer;

  /** @param counter of the next signature; undefined = it does not count */
  constructor(
    private readonly origin: string,
    public counter?: number,
  ) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    this.key = privateKey;
    const [head, middle] = [Buffer.from('a5010203262001215820', 'hex'), Buffer.from('225820', 'hex')];
    this.publicKey = Buffer.concat([head, Buffer.from(x, 'base64url'), middle, Buffer.from(y, 'base64url')]);
  }

  /** The answer to the options of a registration. */
  register({ challenge }: { challenge: string }, origin = this.origin): Record<string, unknown> {
    const id = Buffer.from(this.id, 'base64url');
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, this.publicKey]);
    const data = this.authenticatorData(PRESENT | VERIFIED | ATTESTED, attested);
    const head = Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex');
    const attestationObject = url(Buffer.concat([head, Buffer.from([data.length]), data]));
    const clientDataJSON = this.clientData('webauthn.create', challenge, origin);
    return this.answer({ attestationObject, clientDataJSON, transports: ['internal'] });
  }

  /** The answer to the options of a login or a confirmation. */
  show({ challenge }: { challenge: string }, origin = this.origin): Record<string, unknown> {
    const data = this.authenticatorData(PRESENT | VERIFIED);
    const clientDataJSON = this.clientData('webauthn.get', challenge, origin);
    const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    const signature = url(sign('sha256', signed, this.key));
    return this.answer({ authenticatorData: url(data), clientDataJSON, signature });
  }

  private answer(response: object): Record<string, unknown> {
    return { id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response };
  }

  private clientData(type: string, challenge: string, origin: string): string {
    return url(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }

  private authenticatorData(flags: number, attested = Buffer.alloc(0)): Buffer {
    const count = Buffer.alloc(4);
    if (this.counter !== undefined) count.writeUInt32BE(this.counter++);
    return Buffer.concat([sha256(new URL(this.origin).hostname), Buffer.from([flags]), count, attested]);
  }
}
