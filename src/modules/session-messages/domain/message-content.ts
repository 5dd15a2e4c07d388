/** A message as the chat upstream takes it, without product, recipient and reference. */
export type MessageContent = { type: string } & Record<string, unknown>;

/** One message to one recipient, ready to leave. */
export interface SessionMessage {
  /** 8 to 20 digits, or a user id */
  to: string;
  content: MessageContent;
}
