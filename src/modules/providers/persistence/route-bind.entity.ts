import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One of the sessions that the workers together may have with a carrier: held under a lease (docs/decisions/0023). */
@Entity('route_binds')
export class RouteBindEntity {
  @PrimaryColumn({ name: 'route_id', type: 'int', unsigned: true })
  routeId!: number;

  /** from 1 to the route's `binds`; places beyond that are taken no more */
  @PrimaryColumn({ type: 'smallint', unsigned: true })
  place!: number;

  /** counts the holders */
  @Column({ type: 'bigint', unsigned: true, default: 0 })
  fence!: number;

  /** the worker that holds it; null = it was given back */
  @Column({ type: 'varchar', length: 64, charset: 'ascii', collation: 'ascii_bin', nullable: true })
  holder!: string | null;

  @Column({ name: 'lease_until', type: 'datetime', precision: 3, nullable: true })
  leaseUntil!: Date | null;

  /** the session stands */
  @Column({ type: 'tinyint', unsigned: true, default: 0 })
  bound!: number;

  /** how often the carrier has refused it since it last stood */
  @Column({ type: 'smallint', unsigned: true, default: 0 })
  refusals!: number;

  /** why it does not stand */
  @Column({ type: 'varchar', length: 255, nullable: true })
  fault!: string | null;
}
