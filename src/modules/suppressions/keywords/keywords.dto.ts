import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { dateTime } from '../../../kernel/clock.js';
import { makerForOwner } from '../../../kernel/maker.js';
import { gsmLength } from '../../../kernel/gsm-alphabet.js';
import { fieldErrors } from '../../../kernel/errors.js';
import { readText } from '../../../kernel/text.js';
import { AnswerOf, LocalTime, MadeBy, type MakerData } from '../../../platform/http/index.js';
import { keywordErrors } from './keywords.errors.js';
import { MOST_KEYWORDS, type StoredKeyword } from './keywords.store.js';
import { builtInOf, type Keyword, KEYWORD_ACTIONS, type KeywordAction, LONGEST_WORD, wordOf } from './words.js';

export class KeywordBody {
  @ApiProperty({ maxLength: LONGEST_WORD, example: 'INFO', description: 'Compared with whole texts' })
  word!: string;

  @ApiProperty({ enum: [...KEYWORD_ACTIONS], example: 'reply' })
  action!: KeywordAction;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'We are open from 9 to 5.',
    description: 'Sent as an SMS and priced as one; at most one answer per person in 24 hours',
  })
  reply?: string | null;
}

export class KeywordData {
  @ApiProperty({ example: 'INFO' })
  word!: string;

  @ApiProperty({ enum: [...KEYWORD_ACTIONS], example: 'reply' })
  action!: KeywordAction;

  @ApiProperty({ type: String, nullable: true, example: 'We are open from 9 to 5.' })
  reply!: string | null;

  @MadeBy()
  created_by!: MakerData | null;

  @LocalTime()
  updated_at!: string;
}

export class KeywordAnswer extends AnswerOf(KeywordData) {}

export class KeywordsAnswer {
  @ApiProperty({ type: Boolean, enum: [true], example: true })
  success!: true;

  @ApiProperty({ type: [KeywordData], maxItems: MOST_KEYWORDS })
  data!: KeywordData[];
}

export class RemovedKeywordAnswer {
  @ApiProperty({ type: Boolean, enum: [true], example: true })
  success!: true;

  @ApiProperty({ example: 'Keyword removed successfully' })
  message!: string;
}

export const keywordData = ({ createdBy, updatedAt, ...keyword }: StoredKeyword, zone: string): KeywordData => ({
  ...keyword,
  created_by: makerForOwner(createdBy),
  updated_at: dateTime(updatedAt, zone),
});

/** The longest SMS of reference/sms#prices, in septets or UTF-16 units. */
const LONGEST = { gsm7: 612, unicode: 331 };

const isAction = (value: unknown): value is KeywordAction => KEYWORD_ACTIONS.some((action) => action === value);

/** @throws AppError invalid for the first fault of the body */
export function readKeyword(body: Readonly<Record<string, unknown>>): Keyword {
  const word = readText(body['word']);
  if (word.kind === 'empty') throw fieldErrors.required('word');
  const read = word.kind === 'text' ? wordOf(word.value) : '';
  if (read === '') throw keywordErrors.word();
  const { action } = body;
  if (!isAction(action)) throw fieldErrors.noWord('action', KEYWORD_ACTIONS);
  const builtIn = builtInOf(read);
  if (builtIn !== null && (builtIn === 'stop') !== (action === 'suppress')) throw keywordErrors.builtIn();
  const reply = readText(body['reply']);
  if (reply.kind === 'empty') {
    if (action === 'reply') throw fieldErrors.required('reply');
    return { word: read, action, reply: null };
  }
  if (reply.kind !== 'text') throw fieldErrors.invalid('reply');
  const septets = gsmLength(reply.value);
  const isLong = septets < 0 ? reply.value.length > LONGEST.unicode : septets > LONGEST.gsm7;
  if (isLong) throw fieldErrors.invalid('reply');
  return { word: read, action, reply: reply.value };
}
