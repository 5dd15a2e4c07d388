import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { codePoints } from '../../../kernel/text.js';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog, createdBy } from '../../accounts/index.js';
import { Channels, type TestResult, TestSends } from '../../engine/index.js';
import { DriverRegistry, RouteDirectory, type RouteRecord, RouteStandings, STOPPED } from '../../providers/index.js';
import { routeErrors } from '../admin.errors.js';
import type { RouteTestData } from '../http/route-action.dto.js';

/**
 * One message over one route, of the staff's own account and free of charge (reference/admin#routes).
 * @throws AppError 404 `Route not found`, 400 `to is invalid`, `text must be at most 160 characters`, what a channel says that
 * cannot make a message of the text
 */
export class TestRouteCommand extends Command<RouteTestData> {
  /** @param text null = one that names the route */
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
    const to = channel?.readRecipient(given) ?? null;
    if (!channel || to === null) throw routeErrors.testNumber();
    if (text !== null && codePoints(text) > LONGEST_TEXT) throw routeErrors.testText();
    const record = (tx: EntityManager, requestId: string | null): Promise<void> =>
      this.audit.record(tx, { actor, action: 'route.test', subject: name, details: { to, request_id: requestId } });
    const test = {
      channel,
      route,
      sender: { accountId: actor.id, timeZone: actor.timeZone, createdBy: createdBy(actor) },
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

  /** Where a config says what is read of an upstream's answer, only super is shown what was read. */
  private mayQuote({ userType }: Account, { driver }: RouteRecord): boolean {
    return userType === 'super' || this.drivers.find(driver)?.quotesAnswers !== true;
  }

  /** Why it was not sent, where nothing of it says so: what the workers say of the route. */
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
