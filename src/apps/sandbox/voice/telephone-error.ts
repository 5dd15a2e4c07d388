/** A refusal, as the network words it. */
export class TelephoneError extends Error {
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
    /** seconds */
    readonly retryAfter: number | null = null,
  ) {
    super(message);
  }

  get body(): Record<string, unknown> {
    const { code, message, status } = this;
    return { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status };
  }
}
