import { Command } from '@nestjs/cqrs';
import type { CallEvent } from '../ports/call-script.js';

/** What a callback of a call asks or tells. */
export type CallMatter =
  /** what comes next, now that this has happened */
  | { kind: 'step'; step: number; event: CallEvent['kind'] }
  /** how the call ended */
  | { kind: 'status' };

/**
 * Takes a signed callback of a call; resolves with the document that answers it (TwiML), after the commit. May be
 * repeated: the answer is the same then, and nothing happens twice.
 * @throws AppError `forbidden` for an unknown route or a wrong signature; nothing happens then
 */
export class AcceptCallCallback extends Command<string> {
  constructor(
    readonly route: string,
    /** our reference, from the path */
    readonly ref: string,
    /** null when the path names none: nothing happens, and the call ends */
    readonly matter: CallMatter | null,
    readonly signed: {
      /** path and query as they came, which the signature covers below `PUBLIC_URL` */
      path: string;
      /** `X-Twilio-Signature` */
      signature: string | undefined;
      /** the form's bytes; undefined when there was no readable body */
      form: Buffer | undefined;
    },
  ) {
    super();
  }
}
