/** An id in the upstream's form: base64 with padding, case-sensitive. */
export const messageId = (phone: string, serial: number): string =>
  `wamid.${Buffer.from(`\x1d\x18${phone}\x15\x02\0${serial.toString(36)}`, 'latin1').toString('base64')}`;
