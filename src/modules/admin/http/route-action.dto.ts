import { ApiProperty } from '@nestjs/swagger';
import { AnswerOf, OptionalText, OptionalToken, RequiredText } from '../../../platform/http/index.js';
import { RouteAnswer } from './route.dto.js';

/** Body of POST /routes/:name/stop. */
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

/** Body of POST /routes/:name/move. */
export class MoveRouteRequest {
  @RequiredText('to_route', 'carrier-2')
  to_route!: string;

  @OptionalToken('request_id', 64, {
    example: 'GSMCAMP_20261122_A1B2C3',
    description: 'Moves what waits of this campaign alone',
  })
  request_id?: string | null;
}

/** What a move came to. */
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

/** Body of POST /routes/:name/test. */
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

/** What became of a test. */
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
