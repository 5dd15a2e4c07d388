import type { Type } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { MOST_ROW_FAULTS } from '../../../kernel/errors.js';
import {
  AnswerOf,
  OLD_CREDITS,
  OneOf,
  RowFaultData,
  LATE,
  LATE_AFTER,
  SCHEDULE_TIME,
} from '../../../platform/http/index.js';
import { type ACTIONS, AFTER_CLIP } from './domain/menu.js';
import { VOICE_PLANS } from './domain/voice-request.js';
import { voiceChannel } from './voice.channel.js';

const SPEECH_URL = 'https://api.example.com/audio/5kq2vJm1XhQn0c8ZrY3tLw.wav';
const CLIP_URL = 'https://files.example.com/opening-hours.mp3';
const NUMBER = '919812345678';

export class SpeechBody {
  @ApiProperty({ example: 'Your order is ready.', maxLength: 5_000 })
  message!: string;

  @ApiPropertyOptional({ example: 'en', description: 'As in a send; English where it is not given' })
  language?: string;
}

class MenuKey {
  @ApiProperty({ example: '1', description: '0-9, * or #, each once in a menu.' })
  digit!: string;
}

class TransferRow extends MenuKey {
  @ApiProperty({ enum: ['transfer'], description: 'Forwards the call to the first number that answers.' })
  action!: 'transfer';

  @ApiProperty({ description: '10 to 16 digits.', example: NUMBER })
  number!: string;

  @ApiPropertyOptional({ type: [String], maxItems: 3, description: 'At most 3, tried in order.' })
  fallback_numbers?: string[];
}

class SubmenuRow extends MenuKey {
  @ApiProperty({ enum: ['submenu'], description: 'Plays the prompt and waits for another key.' })
  action!: 'submenu';

  @ApiProperty({ description: 'URL of its prompt.', example: CLIP_URL })
  prompt_audio!: string;

  @ApiProperty({ type: () => [DtmfRow], description: 'Its rows; at most 5 menus deep, 100 rows in all.' })
  rows!: DtmfRow[];
}

class AudioRow extends MenuKey {
  @ApiProperty({ enum: ['audio'], description: 'Plays a clip.' })
  action!: 'audio';

  @ApiProperty({ description: 'URL of the clip.', example: CLIP_URL })
  audio!: string;

  @ApiPropertyOptional({
    enum: AFTER_CLIP,
    description: 'hangup (also without it) ends the call, repeat presents this menu again, back the one above.',
  })
  after?: string;
}

class RecordRow extends MenuKey {
  @ApiProperty({ enum: ['record'], description: 'Records what the callee says.' })
  action!: 'record';
}

class BackRow extends MenuKey {
  @ApiProperty({ enum: ['back'], description: 'To the menu above.' })
  action!: 'back';
}

const ROWS: Readonly<Record<(typeof ACTIONS)[number], Type>> = {
  transfer: TransferRow,
  submenu: SubmenuRow,
  audio: AudioRow,
  record: RecordRow,
  back: BackRow,
};

/** One key of a menu (reference/voice#dtmf_flow). */
@OneOf('action', ROWS)
export class DtmfRow extends MenuKey {}

export class DtmfFlow {
  @ApiProperty({ type: [DtmfRow] })
  rows!: DtmfRow[];
}

export class CallbackAudio {
  @ApiProperty({ example: '2' })
  dtmf!: string;

  @ApiProperty({ example: NUMBER })
  selected_number!: string;
}

export class VoiceMenusBody {
  @ApiPropertyOptional({ type: DtmfFlow, description: 'An object, or its JSON as a text.' })
  dtmf_flow?: DtmfFlow;

  @ApiPropertyOptional({
    type: [CallbackAudio],
    description: 'Keys that forward to a number. On a digit that both have, dtmf_flow wins.',
  })
  callback_audio?: CallbackAudio[];

  @ApiPropertyOptional({ description: 'At most 5000 characters; converted to speech.', example: 'Hello. Press 1.' })
  message?: string;

  @ApiPropertyOptional({ description: 'WAV, MP3, OGG or M4A, 10 MB; used when both are given.', example: CLIP_URL })
  audio_url?: string;
}

/** Body of a voice send, for Swagger; `readVoiceRequest` validates it. */
export class VoiceSendBody extends VoiceMenusBody {
  @ApiProperty({ example: 'Appointment reminder' })
  broadcast_name!: string;

  @ApiPropertyOptional({ description: "10 to 16 digits; default: the operator's number.", example: NUMBER })
  caller_id?: string;

  @ApiPropertyOptional({ description: 'hindi, hi, english, en or any 2-letter code.', default: 'english' })
  language?: string;

  @ApiProperty({
    type: [String],
    example: ['919812345678', '+91 98123 45679'],
    description: 'Symbols are removed; duplicates and what has not 10 to 16 digits are left out.',
  })
  contacts!: string[];

  @ApiPropertyOptional({ enum: ['15', '30'], default: '15', description: 'Billing block, seconds.' })
  voiceplan?: string;

  @ApiPropertyOptional({
    minimum: 0,
    maximum: 5,
    default: 0,
    description: 'Further calls on no answer, busy or failed.',
  })
  retries?: number;

  @ApiPropertyOptional({ enum: [5, 10, 30, 60, 180, 300], default: 60, description: 'Seconds between two calls.' })
  retry_interval?: number;

  @ApiPropertyOptional(SCHEDULE_TIME)
  schedule_time?: string;

  @ApiPropertyOptional(LATE)
  late?: 'send' | 'expire' | 'hold';

  @ApiPropertyOptional(LATE_AFTER)
  late_after_s?: number;
}

const MENU_EXAMPLE = {
  rows: [
    { digit: '1', action: 'transfer', number: NUMBER, fallback_numbers: ['919812345670', '919812345671'] },
    {
      digit: '2',
      action: 'submenu',
      prompt_audio: CLIP_URL,
      rows: [
        { digit: '1', action: 'audio', audio: CLIP_URL, after: 'repeat' },
        { digit: '2', action: 'record' },
        { digit: '#', action: 'back' },
      ],
    },
  ],
};

export const VOICE_EXAMPLES = {
  minimal: {
    summary: 'Speech',
    value: { broadcast_name: 'Reminder', message: 'Your appointment is tomorrow.', contacts: [NUMBER] },
  },
  menu: {
    summary: 'With a keypad menu and retries',
    value: {
      broadcast_name: 'Survey',
      message: 'Press 1 to talk to us, 2 for our opening hours.',
      language: 'en',
      contacts: [NUMBER],
      voiceplan: '15',
      retries: 2,
      retry_interval: 60,
      dtmf_flow: MENU_EXAMPLE,
    },
  },
};

/** Answer of a voice send (reference/voice#voicesend). */
export class VoiceSendAnswer {
  @ApiProperty({ example: 'VCAMP_20260501_A1B2C3D4' })
  request_id!: string;

  @ApiProperty({ example: 'Appointment reminder', description: 'The broadcast_name.' })
  campaign_name!: string;

  @ApiProperty({ example: 2, description: 'Valid contacts without duplicates.' })
  contacts!: number;

  @ApiProperty({ example: 1, description: 'Credits per contact; where they differ, what most of them cost.' })
  counts_per_contact!: number;

  @ApiProperty({ example: 2 })
  credits_deducted!: number;

  @ApiProperty({ example: false, description: 'Whether dtmf_flow or callback_audio came along.' })
  ivr_enabled!: boolean;

  @ApiProperty({ enum: ['Pending for Verification'], example: 'Pending for Verification' })
  status!: 'Pending for Verification';

  @ApiProperty({ example: SPEECH_URL, description: 'The speech that was made, or the address that was supplied.' })
  audio_url!: string;
}

export class VoiceQuoteBody extends OmitType(VoiceSendBody, [
  'broadcast_name',
  'schedule_time',
  'late',
  'late_after_s',
] as const) {
  @ApiProperty({ enum: [voiceChannel.name], example: voiceChannel.name }) channel!: string;
}

/** Price of a voice send (reference/voice#quote). */
export class VoiceQuoteData {
  @ApiProperty({ enum: [voiceChannel.name], example: voiceChannel.name }) channel!: string;
  @ApiProperty({ example: 21.4, description: 'length of the speech, or of the audio' }) audio_seconds!: number;
  @ApiProperty({ enum: [...VOICE_PLANS], example: 15, description: 'seconds of a billing block' }) voiceplan!: number;
  @ApiProperty({ example: true }) ivr_enabled!: boolean;
  @ApiProperty({ type: 'integer', example: 2, description: 'under a rate plan what most of them cost' })
  credits_per_contact!: number;
  @ApiProperty({ type: 'integer', example: 4, description: 'exactly what the send would charge' }) credits!: number;
  @ApiProperty(OLD_CREDITS) total_credits!: number;
  @ApiProperty({ example: 'voice_credits' }) balance!: string;
  @ApiProperty({ type: 'integer', example: 1000 }) available!: number;
  @ApiProperty({ type: 'integer', example: 2, description: 'numbers that would be called' }) contacts!: number;
  @ApiProperty({
    type: [RowFaultData],
    maxItems: MOST_ROW_FAULTS,
    description: 'entries that the send would leave out, the first hundred',
  })
  invalid!: RowFaultData[];
  @ApiProperty({ type: 'integer', example: 0, description: 'how many such entries there are' }) refused!: number;
  @ApiProperty({
    type: [String],
    maxItems: MOST_ROW_FAULTS,
    example: [],
    description: 'numbers that come more than once, called once; the first hundred',
  })
  duplicates!: string[];
  @ApiProperty({ type: 'integer', example: 0, description: 'entries whose number came before' })
  duplicates_count!: number;
}

export class VoiceQuoteResponse extends AnswerOf(VoiceQuoteData) {}
