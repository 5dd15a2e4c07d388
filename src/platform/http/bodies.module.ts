import { Global, Module } from '@nestjs/common';
import { Bodies } from './bodies.js';

/** One reader of bodies, whose room all routes share. */
@Global()
@Module({ providers: [Bodies], exports: [Bodies] })
export class BodiesModule {}
