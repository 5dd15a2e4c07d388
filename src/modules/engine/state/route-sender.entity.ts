import { Column, Entity, PrimaryColumn } from 'typeorm';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;

/**
 * Who sent to a number last over a route, by day: whom an answer is meant for where accounts share the route. Cut into days
 * and without another index, because every send of a campaign writes here.
 */
@Entity('route_senders')
export class RouteSenderEntity {
  @PrimaryColumn({ name: 'route_id', type: 'int', unsigned: true })
  routeId!: number;

  @PrimaryColumn({ name: 'number', type: 'varchar', length: 32, ...ASCII })
  number!: string;

  /** a day is exact enough, and a number that is written to again the same day costs no write */
  @PrimaryColumn({ name: 'sent_on', type: 'date' })
  sentOn!: string;

  @Column({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;
}
