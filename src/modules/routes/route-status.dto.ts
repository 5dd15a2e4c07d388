import { ApiProperty } from '@nestjs/swagger';
import {
  AnswerOf,
  LocalTime,
  OptionalText,
  OptionalToken,
  PageOf,
  RequiredText,
  ZonedTime,
} from '../../platform/http/index.js';
import { CHANNEL_EXAMPLE, CHANNEL_NAMES } from '../channels/index.js';
import { CAMPAIGN_STATES, type CampaignState } from '../engine/index.js';
import {
  CIRCUIT_STATES,
  type CircuitState,
  DRIVER_NAMES,
  OPERATOR_ROUTE_KINDS,
  ROUTE_HEALTHS,
  type RouteHealth,
  SHOWN_HEALTHS,
  type ShownHealth,
} from '../providers/index.js';
import { RouteAnswer, RouteStopData } from './routes.dto.js';

const WORKER = {
  example: 'worker-2:4711:9f0c21ab',
  description: 'Host, process id, and what tells it from the one before',
};

export class RouteStatusWorker {
  @ApiProperty(WORKER)
  worker!: string;

  @ApiProperty({ example: true, description: 'Something may leave over it now' })
  ready!: boolean;

  @ApiProperty({ enum: [...CIRCUIT_STATES], nullable: true, example: 'closed', description: 'null: it has none' })
  circuit!: CircuitState | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  last_error!: string | null;
}

/** A worker's share of the sessions. */
export class RouteStatusBindsOfWorker {
  @ApiProperty(WORKER)
  worker!: string;

  @ApiProperty({ example: 1 })
  held!: number;

  @ApiProperty({ example: 1, description: 'Of these, sessions that stand' })
  bound!: number;

  @ApiProperty({ type: String, nullable: true, example: null })
  last_error!: string | null;
}

/** Sessions with the carrier. */
export class RouteStatusBinds {
  @ApiProperty({ example: 2, description: '`binds` of the route, else one a worker' })
  wanted!: number;

  @ApiProperty({ example: 2 })
  held!: number;

  @ApiProperty({ example: 2, description: 'Of these, sessions that stand' })
  bound!: number;

  @ApiProperty({ type: [RouteStatusBindsOfWorker] })
  workers!: RouteStatusBindsOfWorker[];
}

export class RouteStatusData {
  @ApiProperty({ example: 'carrier-1' })
  name!: string;

  @ApiProperty({ enum: [...OPERATOR_ROUTE_KINDS], example: 'sms' })
  channel!: string;

  @ApiProperty({ enum: DRIVER_NAMES, example: 'smpp' })
  driver!: string;

  @ApiProperty({ example: true })
  is_default!: boolean;

  @ApiProperty({ enum: [...SHOWN_HEALTHS], example: 'down' })
  state!: ShownHealth;

  @LocalTime({ zone: 'asker', nullable: true, example: '2026-11-22 02:14:07', description: 'null: not known yet' })
  since!: string | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    example: 95,
    description: 'Of a route that is down: seconds until its alarm, if it stays so (ALARM_HOLD); null: none is to come',
  })
  alarm_in_seconds!: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'connect ECONNREFUSED since 02:14, 500 waiting',
    description: 'What is the matter, in one line; null while all is well',
  })
  summary!: string | null;

  @ApiProperty({
    enum: [...ROUTE_HEALTHS],
    example: 'down',
    description: 'As `state`, of the connection: also while the route is stopped, since receipts go on coming in',
  })
  connection!: RouteHealth;

  @ApiProperty({ type: RouteStopData, nullable: true, description: 'null while it carries' })
  stopped!: RouteStopData | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'connect ECONNREFUSED',
    description: 'The last one, also when all is well again',
  })
  last_error!: string | null;

  @LocalTime({
    zone: 'asker',
    nullable: true,
    example: '2026-11-22 02:14:07',
    description: 'Since when it is the same',
  })
  last_error_since!: string | null;

  @LocalTime({ zone: 'asker', nullable: true, example: '2026-11-22 02:20:31', description: 'When it was last seen' })
  last_error_at!: string | null;

  @ApiProperty({ example: 500, description: 'Recipients that are due on it' })
  waiting!: number;

  @ApiProperty({
    example: 0,
    description:
      'Recipients of campaigns that are paused, scheduled or wait for their approval, and of tries that come later',
  })
  waiting_later!: number;

  @ApiProperty({ example: false, description: 'There are more than the two say: no more is counted' })
  waiting_is_capped!: boolean;

  @ApiProperty({ type: 'integer', nullable: true, example: 371, description: 'For how long the oldest has been due' })
  oldest_due_seconds!: number | null;

  @ApiProperty({ type: 'integer', nullable: true, example: 100, description: 'null: no limit of ours' })
  messages_per_second!: number | null;

  @ApiProperty({ example: 41.5, description: 'What the carrier took, over the last minute or two' })
  throughput_per_second!: number;

  @ApiProperty({ example: 148_210 })
  sent_last_hour!: number;

  @ApiProperty({
    type: Number,
    nullable: true,
    example: 0.97,
    description: 'Of what became final in the last hour, 0 to 1; null: nothing did',
  })
  delivery_rate!: number | null;

  @LocalTime({ zone: 'asker', nullable: true, example: '2026-11-22 02:13:58', description: 'Of the last hour' })
  newest_receipt_at!: string | null;

  @ApiProperty({ type: 'integer', nullable: true, example: 393 })
  newest_receipt_age_seconds!: number | null;

  @ApiProperty({ example: 0, description: 'Receipts older than a minute that belong to no message' })
  unmatched_receipts!: number;

  @ApiProperty({
    enum: [...CIRCUIT_STATES],
    nullable: true,
    example: null,
    description: 'The worst of all workers; null: connections of its driver have none, or no worker keeps it open',
  })
  circuit!: CircuitState | null;

  @ApiProperty({ type: [RouteStatusWorker], description: 'Those that keep it open; none where `binds` say it' })
  workers!: RouteStatusWorker[];

  @ApiProperty({ type: RouteStatusBinds, nullable: true, description: 'null: its driver keeps no sessions' })
  binds!: RouteStatusBinds | null;
}

export class RouteStatusAnswer extends AnswerOf(RouteStatusData) {}

export class RouteStatusPageAnswer extends PageOf(RouteStatusData) {}

export class StopRouteRequest {
  @OptionalText('reason', {
    example: 'Carrier works on its side',
    description: 'For colleagues; 255 characters at most',
  })
  reason?: string | null;
}

export class StoppedRouteAnswer extends RouteAnswer {
  @ApiProperty({ example: 'Route stopped successfully' })
  message!: string;
}

export class StartedRouteAnswer extends RouteAnswer {
  @ApiProperty({ example: 'Route started successfully' })
  message!: string;
}

export class MoveRouteRequest {
  @RequiredText('to_route', 'carrier-2')
  to_route!: string;

  @OptionalToken('request_id', 64, {
    example: 'GSMCAMP_20261122_A1B2C3',
    description: 'Moves what waits of this campaign alone',
  })
  request_id?: string | null;
}

export class MovedRouteData {
  @ApiProperty({ example: 'carrier-1' })
  route!: string;

  @ApiProperty({ example: 'carrier-2' })
  to_route!: string;

  @ApiProperty({ example: 500, description: 'Recipients that wait on `to_route` from now on' })
  moved_recipients!: number;

  @ApiProperty({ example: 1, description: 'Parts of campaigns in which they are' })
  moved_lanes!: number;

  @ApiProperty({
    example: 0,
    description: 'Parts that are still with the route, since a worker holds them or the time was over; ask again',
  })
  left_lanes!: number;
}

export class MovedRouteAnswer extends AnswerOf(MovedRouteData) {
  @ApiProperty({ example: 'Recipients moved successfully' })
  message!: string;
}

export class TestRouteRequest {
  @RequiredText('to', '447700900123')
  to!: string;

  @OptionalText('text', {
    example: 'Does this arrive?',
    description: '160 characters at most; spoken over voice routes. Absent: a text that names the route',
  })
  text?: string | null;
}

export const TEST_OUTCOMES = ['accepted', 'rejected', 'not_sent', 'unknown'] as const;
export type TestOutcome = (typeof TEST_OUTCOMES)[number];

export class RouteTestData {
  @ApiProperty({ example: 'carrier-1' })
  route!: string;

  @ApiProperty({ example: '447700900123' })
  to!: string;

  @ApiProperty({ type: String, nullable: true, example: 'GSMCAMP_20261122_A1B2C3', description: 'Its campaign' })
  request_id!: string | null;

  @ApiProperty({
    enum: [...TEST_OUTCOMES],
    example: 'accepted',
    description: 'The carrier took it, or refused it; it has not left and will not; or it may have left',
  })
  outcome!: TestOutcome;

  @ApiProperty({ type: String, nullable: true, example: '4f1c2a', description: 'The carrier’s id' })
  provider_message_id!: string | null;

  @ApiProperty({ type: 'integer', nullable: true, example: null, description: 'The carrier’s code of a refusal' })
  error_code!: number | null;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'Why it was refused, or was not sent' })
  reason!: string | null;

  @ApiProperty({ example: 0.4, description: 'From the request to the outcome' })
  seconds!: number;
}

export class RouteTestAnswer extends AnswerOf(RouteTestData) {}

/** A campaign with recipients that wait on a route. */
export class WaitingCampaignData {
  @ApiProperty({ example: 'GSMCAMP_20261122_A1B2C3' })
  request_id!: string;

  @ApiProperty({ example: 'Autumn offer' })
  broadcast_name!: string;

  @ApiProperty({ example: 'demo' })
  username!: string;

  @ApiProperty({ example: CHANNEL_EXAMPLE, enum: [...CHANNEL_NAMES] })
  channel!: string;

  @ApiProperty({ example: 'running', enum: [...CAMPAIGN_STATES] })
  state!: CampaignState;

  @ZonedTime({ zone: 'asker', nullable: true, description: 'When it begins; null = at once' })
  scheduled_at!: string | null;

  @ApiProperty({ example: 500, description: 'Recipients that wait there: due, or later' })
  waiting!: number;
}

export class RouteWaitingAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ type: [WaitingCampaignData] })
  data!: WaitingCampaignData[];

  @ApiProperty({ example: false, description: 'More than are shown: 100 campaigns, by a look at 2,000 parts of them' })
  has_more!: boolean;
}
