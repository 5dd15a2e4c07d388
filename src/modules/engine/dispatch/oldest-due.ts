import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { DueRoutes } from './due-routes.js';

/** The first lane that is due of each route, for monitors. */
@Injectable()
export class OldestDue extends DueRoutes {
  constructor(@InjectDataSource() dataSource: DataSource) {
    super(dataSource);
  }
}
