import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Since when a route stands as it does, as all workers together see it. */
@Entity('route_states')
export class RouteStateEntity {
  @PrimaryColumn({ name: 'route_id', type: 'int', unsigned: true })
  routeId!: number;

  /** `up`, `degraded`, `down`, `unknown` */
  @Column({ type: 'varchar', length: 16, charset: 'ascii', collation: 'ascii_bin' })
  state!: string;

  @Column({ type: 'datetime', precision: 3 })
  since!: Date;

  /** the last one, also when all is well again */
  @Column({ type: 'varchar', length: 255, nullable: true })
  error!: string | null;

  /** since when that error is the same */
  @Column({ name: 'error_since', type: 'datetime', precision: 3, nullable: true })
  errorSince!: Date | null;

  /** when it was last seen */
  @Column({ name: 'error_at', type: 'datetime', precision: 3, nullable: true })
  errorAt!: Date | null;
}
