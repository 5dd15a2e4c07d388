import { readText } from '../../../kernel/text.js';
import type { ChatConnection } from '../../providers/index.js';
import { businessProfileErrors } from '../business-profile.errors.js';

/**
 * Which connection of the account is meant; official unless said (decisions §7).
 * @throws AppError `invalid` for any other word
 */
export function readChannel(value: unknown): ChatConnection {
  const read = readText(value);
  if (read.kind === 'empty') return 'official';
  if (read.kind === 'text' && (read.value === 'official' || read.value === 'branded')) return read.value;
  throw businessProfileErrors.channel();
}
