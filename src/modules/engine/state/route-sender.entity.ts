import { Column, Entity, PrimaryColumn } from 'typeorm';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;

/**
 * Who sent to a number last over a route: whom an answer is meant for where accounts share the route. One row a route and
 * number, without another index: every send of a campaign writes here.
 */
@Entity('route_senders')
export class RouteSenderEntity {
  @PrimaryColumn({ name: 'route_id', type: 'int', unsigned: true })
  routeId!: number;

  @PrimaryColumn({ name: 'number', type: 'varchar', length: 32, ...ASCII })
  number!: string;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  /** a day is exact enough, and a number that is written to again the same day costs no write */
  @Column({ name: 'sent_on', type: 'date' })
  sentOn!: string;
}
