import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { now } from '../../kernel/clock.js';
import { codePoints } from '../../kernel/text.js';
import { inTransaction } from '../../platform/database/index.js';
import { type Account, type Actor, AuditLog, senderOf } from '../accounts/index.js';
import { campaignErrors, CampaignReader, type TestResult, TestSends } from '../campaigns/index.js';
import { Channels, RouteMoves } from '../engine/index.js';
import { readerOf } from '../numbers/index.js';
import { DriverRegistry, RouteDirectory, type RouteRecord, RouteStandings, STOPPED } from '../providers/index.js';
import type { MovedRouteData, RouteTestData } from './route-status.dto.js';
import { routeErrors } from './routes.errors.js';

/**
 * Moves waiting messages to another route (reference/admin#routes); those that may have left stay.
 * @throws AppError 404 `Route not found`, `Campaign not found`; 400 for an unsuitable target, 409 for a stopped one
 */
export class MoveRouteCommand extends Command<MovedRouteData> {
  constructor(
    readonly actor: Actor['account'],
    readonly name: string,
    readonly to: string,
    readonly requestId: string | null,
  ) {
    super();
  }
}

@CommandHandler(MoveRouteCommand)
export class MoveRouteHandler implements ICommandHandler<MoveRouteCommand> {
  constructor(
    private readonly routes: RouteDirectory,
    private readonly channels: Channels,
    private readonly campaigns: CampaignReader,
    private readonly moves: RouteMoves,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, name, to, requestId }: MoveRouteCommand): Promise<MovedRouteData> {
    this.routes.forget();
    const [route, target] = [await this.routes.byName(name), await this.routes.byName(to)];
    if (!route) throw routeErrors.notFound();
    if (!target || target.id === route.id) throw routeErrors.targetUnknown();
    if (target.channel !== route.channel) throw routeErrors.targetChannel(to, target.channel);
    if (target.stopped) throw routeErrors.targetStopped();
    const campaign = requestId === null ? null : await this.campaigns.byRequestId(requestId);
    if (requestId !== null && !campaign) throw campaignErrors.notFound();
    const channels = this.channels.all.filter((channel) => channel.routes === route.channel);
    const move = {
      channels: channels.map((channel) => channel.name),
      from: route.id,
      to: target.id,
      campaignId: campaign?.id ?? null,
      reason: `Moved by ${actor.username}`,
    };
    const { moved, left } = await this.moves.move(move, (tx, { lanes, recipients }) => {
      const details = { to_route: to, request_id: requestId, lanes, recipients };
      return this.audit.record(tx, { actor, action: 'route.move', subject: name, details });
    });
    return {
      route: name,
      to_route: to,
      moved_recipients: moved.recipients,
      moved_lanes: moved.lanes,
      left_lanes: left,
    };
  }
}

export class StopRouteCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly name: string,
    readonly stop: { reason: string | null } | null,
  ) {
    super();
  }
}

@CommandHandler(StopRouteCommand)
export class StopRouteHandler implements ICommandHandler<StopRouteCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly routes: RouteDirectory,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, name, stop }: StopRouteCommand): Promise<void> {
    await inTransaction(this.dataSource, async (tx) => {
      const route = await this.routes.locked(tx, name);
      if (!route) throw routeErrors.notFound();
      if (stop && route.stopped) throw routeErrors.stoppedAlready();
      if (!stop && !route.stopped) throw routeErrors.notStopped();
      await this.routes.setStop(tx, route.id, stop && { at: now(), by: actor.username, reason: stop.reason });
      const details = stop ? { reason: stop.reason } : { stopped_at: route.stopped?.at.toISOString() };
      await this.audit.record(tx, { actor, action: stop ? 'route.stop' : 'route.start', subject: name, details });
    });
    this.routes.forget();
  }
}

/**
 * Sends a free test message over a route (reference/admin#routes).
 * @throws AppError 404 `Route not found`, 400 `to is invalid`, `text must be at most 160 characters`, or the channel's error
 */
export class TestRouteCommand extends Command<RouteTestData> {
  constructor(
    readonly actor: Account,
    readonly name: string,
    readonly to: string,
    readonly text: string | null,
  ) {
    super();
  }
}

const LONGEST_TEXT = 160;

@CommandHandler(TestRouteCommand)
export class TestRouteHandler implements ICommandHandler<TestRouteCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly routes: RouteDirectory,
    private readonly channels: Channels,
    private readonly standings: RouteStandings,
    private readonly tests: TestSends,
    private readonly drivers: DriverRegistry,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, name, to: given, text }: TestRouteCommand): Promise<RouteTestData> {
    const started = performance.now();
    const route = await this.routes.byName(name);
    if (!route) throw routeErrors.notFound();
    const channel = this.channels.all.find(({ routes }) => routes === route.channel);
    const read = channel && readerOf(actor, channel)(given);
    if (!read || 'refused' in read) throw routeErrors.testNumber();
    const to = read.digits;
    if (text !== null && codePoints(text) > LONGEST_TEXT) throw routeErrors.testText();
    const record = (tx: EntityManager, requestId: string | null): Promise<void> =>
      this.audit.record(tx, { actor, action: 'route.test', subject: name, details: { to, request_id: requestId } });
    const test = {
      channel,
      route,
      sender: senderOf(actor),
      to,
      text: text ?? `Test message over ${name}`,
      faultOf: async () => (await this.standings.read()).of.get(route.id)?.lastError ?? null,
    };
    if (route.stopped) {
      await inTransaction(this.dataSource, (tx) => record(tx, null));
      return answer(name, to, null, STOPPED, started);
    }
    const sent = await this.tests.send(test, record);
    const result = this.mayQuote(actor, route) ? sent : withoutQuotes(sent);
    return answer(name, to, result, await this.reasonOf(route, result), started);
  }

  private mayQuote({ userType }: Account, { driver }: RouteRecord): boolean {
    return userType === 'super' || this.drivers.find(driver)?.quotesAnswers !== true;
  }

  /** The reason from the workers' state, if the result has none. */
  private async reasonOf(route: RouteRecord, { outcome, reason }: TestResult): Promise<string | null> {
    if (reason !== null || outcome === 'accepted' || outcome === 'rejected') return reason;
    if (outcome === 'unknown') return 'It may have left: the carrier has not answered';
    this.routes.forget();
    if ((await this.routes.byName(route.name))?.stopped) return STOPPED;
    const standing = (await this.standings.read()).of.get(route.id);
    if (!standing || standing.health === 'unknown') return 'No worker has taken it';
    return standing.lastError ?? 'The carrier did not take it in time';
  }
}

const QUOTES: Readonly<Partial<Record<TestResult['outcome'], string>>> = {
  accepted: 'The gateway took it; its answer is shown to super only',
  rejected: 'The gateway refused it; its answer is shown to super only',
};

const withoutQuotes = (result: TestResult): TestResult => ({
  ...result,
  providerMessageId: null,
  errorCode: null,
  reason: QUOTES[result.outcome] ?? null,
});

const answer = (
  route: string,
  to: string,
  result: TestResult | null,
  reason: string | null,
  started: number,
): RouteTestData => ({
  route,
  to,
  request_id: result?.requestId ?? null,
  outcome: result?.outcome ?? 'not_sent',
  provider_message_id: result?.providerMessageId ?? null,
  error_code: result?.errorCode ?? null,
  reason,
  seconds: Math.round(performance.now() - started) / 1_000,
});
