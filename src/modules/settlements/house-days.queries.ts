import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { Actor } from '../accounts/index.js';
import { HouseDays } from './house-days.store.js';
import { SettlementReader } from './settlement-reader.js';
import { SettledFor } from './settlements.queries.js';
import { type AuditDayData, type DayPlaceData, signedDay } from './settlements.dto.js';
import { settlementErrors } from './settlements.errors.js';
import { SettlementDayEntity } from './tables.js';

/** Where the settlement of a campaign stands in its day. @throws AppError `Day is not sealed yet`, those of a settlement */
export class GetDayPlaceQuery extends Query<DayPlaceData> {
  constructor(
    readonly actor: Actor,
    readonly requestId: string,
  ) {
    super();
  }
}

@QueryHandler(GetDayPlaceQuery)
export class GetDayPlaceHandler implements IQueryHandler<GetDayPlaceQuery> {
  constructor(
    private readonly seen: SettledFor,
    private readonly reader: SettlementReader,
    private readonly days: HouseDays,
  ) {}

  async execute({ actor, requestId }: GetDayPlaceQuery): Promise<DayPlaceData> {
    const { id } = await this.seen.campaign(actor, requestId, true);
    const { settlement } = await this.reader.of(id);
    const place = await this.days.placeOf(settlement);
    if (!place) throw settlementErrors.dayOpen();
    const path = place.path.map((hash) => hash.toString('hex'));
    const leaf = settlement.digest.toString('hex');
    return Object.assign(signedDay(place.day, await this.reader.publicKeys()), { leaf, index: place.index, path });
  }
}

/** Whether the audit log of a day is as it was signed, for staff. @throws AppError `Day not found` */
export class CheckAuditDayQuery extends Query<AuditDayData> {
  constructor(readonly day: string) {
    super();
  }
}

@QueryHandler(CheckAuditDayQuery)
export class CheckAuditDayHandler implements IQueryHandler<CheckAuditDayQuery> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly reader: SettlementReader,
    private readonly days: HouseDays,
  ) {}

  async execute({ day: text }: CheckAuditDayQuery): Promise<AuditDayData> {
    // MySQL refuses a date that does not exist, such as the 31st of February
    const moment = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00Z`) : null;
    const isDay = moment !== null && !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(text);
    const day = isDay ? await this.dataSource.getRepository(SettlementDayEntity).findOneBy({ day: text }) : null;
    if (!day) throw settlementErrors.noDay();
    const signed = signedDay(day, await this.reader.publicKeys());
    const { after, last, count, root } = signed.statement.audit;
    const now = await this.days.auditIn(after, { last });
    return Object.assign(signed, { unchanged: now.count === count && now.root === root });
  }
}
