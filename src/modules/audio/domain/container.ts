/** What audio comes in: kinds that we read ourselves, and those that are left to the transcoder. */
export type Container = 'wav' | 'mp3' | ForeignContainer;

/** Containers of audio that a telephone network does not play, by the name of the transcoder's demuxer. */
export type ForeignContainer = 'ogg' | 'mov' | 'flac' | 'aiff' | 'matroska' | 'aac' | 'amr' | 'caf';

const text = (bytes: Buffer, from: number, to: number): string => bytes.toString('latin1', from, to);

/** Each container by its first bytes, in the order of looking; MP3 last, since it has next to no mark of its own. */
const MARKS: readonly (readonly [Container, (bytes: Buffer) => boolean])[] = [
  ['wav', (bytes) => text(bytes, 0, 4) === 'RIFF' && text(bytes, 8, 12) === 'WAVE'],
  ['ogg', (bytes) => text(bytes, 0, 4) === 'OggS'],
  ['mov', (bytes) => text(bytes, 4, 8) === 'ftyp'],
  ['flac', (bytes) => text(bytes, 0, 4) === 'fLaC'],
  ['aiff', (bytes) => text(bytes, 0, 4) === 'FORM' && /^AIF[FC]$/.test(text(bytes, 8, 12))],
  ['matroska', (bytes) => bytes.length > 4 && bytes.readUInt32BE(0) === 0x1a45dfa3],
  ['amr', (bytes) => text(bytes, 0, 5) === '#!AMR'],
  ['caf', (bytes) => text(bytes, 0, 4) === 'caff'],
  ['aac', (bytes) => bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xf6) === 0xf0],
  ['mp3', (bytes) => text(bytes, 0, 3) === 'ID3' || (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0)],
];

/** Recognizes a container by its content, whatever its name or its content type. @returns null for anything else */
export const containerOf = (bytes: Buffer): Container | null => MARKS.find(([, begins]) => begins(bytes))?.[0] ?? null;
