import { ApiProperty } from '@nestjs/swagger';
import { AnswerOf, LocalTime, PageOf } from '../../platform/http/index.js';
import { OPERATOR_ROUTE_KINDS, SHOWN_HEALTHS, type ShownHealth } from '../providers/index.js';
import {
  LONGEST_PREFIX,
  MOST_CANDIDATES,
  MOST_OF_A_RULE,
  MOST_ROUTES,
  MOST_RULES,
  MOST_TABLES,
} from './routing-form.js';

const CHANNEL = { enum: [...OPERATOR_ROUTE_KINDS], example: 'sms' };

export class RuleData {
  @ApiProperty({
    type: [String],
    maxItems: MOST_OF_A_RULE,
    example: ['91', '880'],
    description: `What numbers begin with, each 1 to ${LONGEST_PREFIX} digits; empty: every number`,
  })
  prefixes!: string[];

  @ApiProperty({
    type: [String],
    nullable: true,
    required: false,
    maxItems: MOST_OF_A_RULE,
    example: null,
    description: 'Usernames for which alone the rule counts; null: all',
  })
  accounts!: string[] | null;

  @ApiProperty({
    type: [String],
    nullable: true,
    required: false,
    maxItems: MOST_OF_A_RULE,
    example: null,
    description: 'Categories of a send for which alone it counts; null: all',
  })
  categories!: string[] | null;

  @ApiProperty({
    type: [String],
    minItems: 1,
    maxItems: MOST_ROUTES,
    example: ['carrier-1'],
    description: 'The first carries, the others take over',
  })
  routes!: string[];
}

export class PutRoutingTableBody {
  @ApiProperty({ ...CHANNEL, description: 'The kind of the routes' })
  channel!: string;

  @ApiProperty({ type: [RuleData], maxItems: MOST_RULES })
  rules!: RuleData[];
}

class TableData {
  @ApiProperty({ example: 'india' })
  name!: string;

  @ApiProperty(CHANNEL)
  channel!: string;

  @LocalTime({ zone: 'asker' })
  created_at!: string;

  @LocalTime({ zone: 'asker' })
  updated_at!: string;
}

export class RoutingTableSummaryData extends TableData {
  @ApiProperty({ type: 'integer', example: 12, description: 'How many rules' })
  rules!: number;

  @ApiProperty({ type: 'integer', example: 40, description: 'How many prefixes in all its rules' })
  prefixes!: number;
}

export class RoutingTableData extends TableData {
  @ApiProperty({ type: [RuleData], maxItems: MOST_RULES })
  rules!: RuleData[];
}

export class RoutingTableAnswer extends AnswerOf(RoutingTableData) {}

export class SavedRoutingTableAnswer extends RoutingTableAnswer {
  @ApiProperty({ example: 'Routing table saved successfully' })
  message!: string;
}

export class RoutingTablePageAnswer extends PageOf(RoutingTableSummaryData, MOST_TABLES) {}

export class RemovedRoutingTableAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'Routing table deleted successfully' })
  message!: string;
}

const REASONS = [
  'comes first',
  'another rule comes first',
  'the request names a route',
  'is for other accounts',
  'is for other categories',
  'none of its routes may be used',
] as const;

export class CandidateData {
  @ApiProperty({ example: 'india' })
  table!: string;

  @ApiProperty({ type: 'integer', example: 1, description: 'Its place in the table, 1 = the first' })
  rule!: number;

  @ApiProperty({ example: '91', description: 'The longest of its prefixes that fits; empty: every number' })
  prefix!: string;

  @ApiProperty({ example: false, description: 'Whether it names accounts' })
  names_accounts!: boolean;

  @ApiProperty({ type: [String], nullable: true, example: null })
  categories!: string[] | null;

  @ApiProperty({ type: [String], example: ['carrier-1'] })
  routes!: string[];

  @ApiProperty({ type: [String], example: ['carrier-1'], description: 'Those that the account may use' })
  usable_routes!: string[];

  @ApiProperty({ enum: ['won', 'lost'], example: 'won' })
  outcome!: 'won' | 'lost';

  @ApiProperty({ enum: [...REASONS], example: 'comes first' })
  reason!: (typeof REASONS)[number];
}

class ExplainedRouteData {
  @ApiProperty({ example: 'carrier-1' })
  name!: string;

  @ApiProperty({
    enum: [...SHOWN_HEALTHS],
    example: 'up',
    description: 'down: its circuit is open, or nothing reaches it; stopped: by staff',
  })
  health!: ShownHealth;

  @ApiProperty({ type: String, nullable: true, example: null })
  last_error!: string | null;
}

export class ExplanationData {
  @ApiProperty({ example: 'jane.doe' })
  account!: string;

  @ApiProperty(CHANNEL)
  channel!: string;

  @ApiProperty({ example: '919876543210' })
  number!: string;

  @ApiProperty({ example: '91', description: 'Empty where no country has it' })
  calling_code!: string;

  @ApiProperty({ type: String, nullable: true, example: null })
  service!: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  category!: string | null;

  @ApiProperty({ type: [String], nullable: true, example: null, description: 'null: all' })
  allowed_routes!: readonly string[] | null;

  @ApiProperty({ type: String, nullable: true, example: 'carrier-1', description: 'Of the channel, allowed or not' })
  default_route!: string | null;

  @ApiProperty({
    enum: ['service', 'rule', 'default', 'none'],
    example: 'rule',
    description: 'What told the routes; none: the send is refused with 503',
  })
  decided_by!: 'service' | 'rule' | 'default' | 'none';

  @ApiProperty({ type: [ExplainedRouteData], description: 'The first carries, the others take over' })
  routes!: ExplainedRouteData[];

  @ApiProperty({
    type: [CandidateData],
    maxItems: MOST_CANDIDATES,
    description: 'Rules with a prefix of the number, in the order in which they are asked',
  })
  candidates!: CandidateData[];

  @ApiProperty({ type: 'integer', example: 1, description: 'How many there are' })
  candidates_total!: number;
}

export class ExplanationAnswer extends AnswerOf(ExplanationData) {}
