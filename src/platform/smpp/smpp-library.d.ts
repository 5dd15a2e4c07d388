/** The used part of npm `smpp`, which has no types. */
declare module 'smpp' {
  interface PduFields {
    command_status?: number;
    sequence_number?: number;
    [field: string]: unknown;
  }
  class PDU {
    constructor(command: string, fields?: PduFields);
    constructor(bytes: Buffer);
    command: string;
    command_id: number;
    command_status: number;
    sequence_number: number;
    [field: string]: unknown;
    isResponse(): boolean;
    response(fields?: PduFields): PDU;
    toBuffer(): Buffer;
  }
  const library: { PDU: typeof PDU };
  export { PDU };
  export default library;
}
