import { ApiPropertyOptional } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import { CHAT_CONNECTIONS, CHAT_PROVIDERS, type ChatProvider } from '../../providers/index.js';
import { OptionalSpeed, OptionalText, OptionalToken, OptionalWord } from '../../../platform/http/index.js';

const LONGEST_TOKEN = 4096;
const LONGEST_SECRET = 256;
const LONGEST_ID = 64;

/**
 * Body of PUT /chat-accounts/:username (reference/admin#chat-accounts): an absent field keeps what stands, null clears
 * it.
 */
export class PutChatAccountRequest {
  @ApiPropertyOptional({ enum: [...CHAT_CONNECTIONS], example: 'official' })
  @Allow()
  channel?: unknown;

  @OptionalWord('provider', CHAT_PROVIDERS, 'meta_cloud')
  provider?: ChatProvider | '' | null;

  @OptionalText('number', { example: '4915112345678', maxLength: 64 })
  number?: string | null;

  @OptionalText('url', { example: 'https://graph.example/v21.0/106540352242922', maxLength: 2048 })
  url?: string | null;

  @OptionalToken('token', LONGEST_TOKEN, { example: 'EAAGm0PX4ZCps', writeOnly: true })
  token?: string | null;

  @OptionalToken('app_id', LONGEST_ID, { example: '634974688087057' })
  app_id?: string | null;

  @OptionalToken('app_secret', LONGEST_SECRET, { example: 'signs-the-callbacks', writeOnly: true })
  app_secret?: string | null;

  @OptionalToken('verify_token', LONGEST_SECRET, { example: 'proves-the-callback-address', writeOnly: true })
  verify_token?: string | null;

  @OptionalToken('bmid', LONGEST_ID, { example: null, description: 'reseller: its Business Manager ID' })
  bmid?: string | null;

  @OptionalToken('waba_id', LONGEST_ID, {
    example: '102290129340398',
    description: 'business account at the upstream; with it, templates are submitted and their reviews taken',
  })
  waba_id?: string | null;

  @OptionalSpeed('messages_per_second', 80)
  messages_per_second?: number | null;
}
