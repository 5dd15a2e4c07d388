import { Module } from '@nestjs/common';
import { Traffic } from './traffic.js';

/** The place where features count and statistics take what was counted, without knowing each other. */
@Module({ providers: [Traffic], exports: [Traffic] })
export class TrafficModule {}
