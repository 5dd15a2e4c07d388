/** Command statuses that decide what we do (SMPP 3.4 §5.1.3). */
export const Status = {
  Ok: 0x00,
  InvalidMessageLength: 0x01,
  InvalidCommand: 0x03,
  InvalidBindStatus: 0x04,
  SystemError: 0x08,
  BindFailed: 0x0d,
  MessageQueueFull: 0x14,
  SubmitFailed: 0x45,
  Throttled: 0x58,
  TemporaryReceiverError: 0x64,
} as const;

const TEXTS: Readonly<Record<number, string>> = {
  0x01: 'Message length is invalid',
  0x02: 'Command length is invalid',
  0x03: 'Invalid command',
  0x04: 'Incorrect bind status',
  0x05: 'Already bound',
  0x08: 'Carrier system error',
  0x0a: 'Invalid source address',
  0x0b: 'Invalid destination address',
  0x0c: 'Message id is invalid',
  0x0d: 'Bind failed',
  0x0e: 'Invalid password',
  0x0f: 'Invalid system id',
  0x14: 'Carrier message queue full',
  0x15: 'Invalid service type',
  0x33: 'Invalid number of destinations',
  0x43: 'Invalid esm_class',
  0x45: 'Submission failed',
  0x48: 'Invalid source address type of number',
  0x49: 'Invalid source address numbering plan',
  0x50: 'Invalid destination address type of number',
  0x51: 'Invalid destination address numbering plan',
  0x58: 'Throttled by the carrier',
  0x61: 'Invalid scheduled delivery time',
  0x62: 'Invalid validity period',
  0x64: 'Temporary error at the receiver',
  0x65: 'Permanent error at the receiver',
  0x66: 'Rejected by the receiver',
  0xff: 'Unknown carrier error',
};

/** A short human text for a carrier's refusal. */
export const statusText = (status: number): string =>
  TEXTS[status] ?? `Rejected by the carrier (0x${status.toString(16).padStart(2, '0')})`;

/** The carrier is busy: the same message is welcome later, and the try does not count. */
export const isThrottling = (status: number): boolean =>
  status === Status.Throttled || status === Status.MessageQueueFull;

/** The carrier is at fault and says that it did not take the message. */
export const isTemporary = (status: number): boolean =>
  status === Status.SystemError || status === Status.InvalidBindStatus || status === Status.TemporaryReceiverError;
