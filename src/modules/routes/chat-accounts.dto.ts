import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import {
  AnswerOf,
  LocalTime,
  OptionalSpeed,
  OptionalText,
  OptionalToken,
  OptionalWord,
  PageOf,
} from '../../platform/http/index.js';
import { CHAT_CONNECTIONS, CHAT_PROVIDERS, type ChatConnection, type ChatProvider } from '../providers/index.js';

const LONGEST_TOKEN = 4096;
const LONGEST_SECRET = 256;
const LONGEST_ID = 64;

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
    description: 'business account at the provider; with it, templates are submitted and their reviews taken',
  })
  waba_id?: string | null;

  @OptionalSpeed('messages_per_second', 80)
  messages_per_second?: number | null;
}

const text = { type: String, nullable: true };

export class ChatAccountAnswerData {
  @ApiProperty({ type: 'integer', example: 7 })
  id!: number;

  @ApiProperty({ example: 'jane.doe' })
  username!: string;

  @ApiProperty({ enum: [...CHAT_CONNECTIONS], example: 'official' })
  channel!: ChatConnection;

  @ApiProperty({ enum: [...CHAT_PROVIDERS], example: 'meta_cloud' })
  provider!: ChatProvider;

  @ApiProperty({ ...text, example: '4915112345678' })
  number!: string | null;

  @ApiProperty({ ...text, example: 'https://graph.example/v21.0/106540352242922' })
  url!: string | null;

  @ApiProperty({
    example: false,
    description: 'Staff without super set `url`: it reaches public addresses and `ROUTE_NETWORKS` alone',
  })
  guarded!: boolean;

  @ApiProperty({ ...text, example: '106540352242922', description: 'The last numeric segment of `url`' })
  phone_number_id!: string | null;

  @ApiProperty({ example: true })
  token_set!: boolean;

  @ApiProperty({ ...text, example: '634974688087057' })
  app_id!: string | null;

  @ApiProperty({ example: true, description: 'Without it, callbacks are refused' })
  app_secret_set!: boolean;

  @ApiProperty({ example: true, description: 'Without it, the callback address cannot be verified' })
  verify_token_set!: boolean;

  @ApiProperty({ ...text, example: null })
  bmid!: string | null;

  @ApiProperty({ ...text, example: '102290129340398' })
  waba_id!: string | null;

  @ApiProperty({ type: 'integer', nullable: true, example: 80, description: 'null: no limit of ours' })
  messages_per_second!: number | null;

  @ApiProperty({
    example: 'https://chat.example/provider/chat/7',
    description: 'To be entered at the provider; a bare path while PUBLIC_URL is not set',
  })
  callback_url!: string;

  @LocalTime({ zone: 'asker' })
  created_at!: string;

  @LocalTime({ zone: 'asker' })
  updated_at!: string;
}

export class ChatAccountAnswer extends AnswerOf(ChatAccountAnswerData) {}

export class SavedChatAccountAnswer extends ChatAccountAnswer {
  @ApiProperty({ example: 'Chat account saved successfully' })
  message!: string;
}

export class RemovedChatAccountAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'Chat account deleted successfully' })
  message!: string;
}

/** A stored part of a provider's callback (reference/providers#notices). */
export class ChatNoticeData {
  @ApiProperty({ example: 31 }) id!: number;
  @ApiProperty({ example: 'demo' }) username!: string;
  @ApiProperty({ example: 7, description: 'id of the chat account' }) chat_account_id!: number;
  @ApiProperty({ example: 'phone_number_quality_update', description: 'as the provider names it' }) kind!: string;
  @ApiProperty({
    example: '{"field":"phone_number_quality_update","value":{"event":"FLAGGED","current_limit":"TIER_1K"}}',
    description: 'JSON as the provider wrote it; longer ones end after 16 KB',
  })
  body!: string;
  @ApiProperty({ example: 128, description: 'of the whole' }) bytes!: number;
  @LocalTime() received_at!: string;
}

export class ChatNoticePageAnswer extends PageOf(ChatNoticeData) {}

export class ChatNoticeCountData {
  @ApiProperty({ example: 'phone_number_quality_update' }) kind!: string;
  @ApiProperty({ example: 3, description: 'those that are no longer stored included' }) count!: number;
  @LocalTime() last_at!: string;
}

export class ChatNoticeCountsAnswer {
  @ApiProperty({ type: Boolean, enum: [true], example: true }) success!: true;
  @ApiProperty({ type: [ChatNoticeCountData], maxItems: 200 }) data!: ChatNoticeCountData[];
}
