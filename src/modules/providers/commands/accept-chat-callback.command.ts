import { Command } from '@nestjs/cqrs';

/** How much of a callback counted. */
export interface ChatCallbackTaken {
  receipts: number;
  /** what contacts wrote, and what they set about campaigns */
  messages: number;
  templates: number;
  /** what belongs to another number or business account, nobody can read, or names no sender */
  dropped: number;
}

/**
 * Takes a signed callback of the chat upstream; resolves when all of it is committed. May be repeated.
 * @throws AppError `forbidden` for an unknown account, one without app secret, or a wrong signature; nothing happens then
 */
export class AcceptChatCallback extends Command<ChatCallbackTaken> {
  constructor(
    /** last segment of the path */
    readonly accountId: string,
    /** `X-Hub-Signature-256` */
    readonly signature: string | undefined,
    /** the bytes that the signature covers; undefined when there was no readable body */
    readonly bytes: Buffer | undefined,
    readonly body: unknown,
  ) {
    super();
  }
}
