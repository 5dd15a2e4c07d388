import { type DynamicModule, Global, Inject, Injectable, Module, Optional } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { ShownQueue } from '../../platform/queues/index.js';
import type { CampaignRecord } from './campaign.js';
import type { Channel, Services, TimelineEvent } from './channel.js';

/** The list of channels that an app hands to the engine. */
export const CHANNEL_LIST = Symbol('channels');

/** The channels of this process, in the order of the app's list. */
@Injectable()
export class Channels {
  private readonly byName: ReadonlyMap<string, Channel>;
  /** for the parts of a channel that need a provider of this process */
  readonly services: Services;

  constructor(
    @Inject(CHANNEL_LIST) readonly all: readonly Channel[],
    @Optional() moduleRef?: ModuleRef,
  ) {
    this.byName = new Map(all.map((channel) => [channel.name, channel]));
    this.services = (provider) => {
      if (!moduleRef) throw new Error(`no ${provider.name} without the modules of an app`);
      return moduleRef.get(provider, { strict: false });
    };
  }

  get names(): string[] {
    return [...this.byName.keys()];
  }

  /** Each channel's turns wait in a queue that bears its name. */
  get queues(): ShownQueue[] {
    return this.all.map(({ name, title }) => ({ name, purpose: `turns of ${title} routes` }));
  }

  /** The channels' status events, each once: those of one channel, then those that several share. */
  get eventTypes(): string[] {
    const isShared = (type: string): number => (this.all.filter(({ event }) => event === type).length > 1 ? 1 : 0);
    return [...new Set(this.all.map(({ event }) => event))].sort((a, b) => isShared(a) - isShared(b));
  }

  find(name: string): Channel | null {
    return this.byName.get(name) ?? null;
  }

  /** @throws Error for a channel that this process does not have */
  get(name: string): Channel {
    const channel = this.find(name);
    if (!channel) throw new Error(`this process has no channel ${name}`);
    return channel;
  }
}

/** Makes an app's channels known to all its modules: `ChannelsModule.of(CHANNELS)`. */
@Global()
@Module({})
export class ChannelsModule {
  static of(channels: readonly Channel[]): DynamicModule {
    return {
      module: ChannelsModule,
      providers: [{ provide: CHANNEL_LIST, useValue: channels }, Channels],
      exports: [Channels],
    };
  }
}

/** A module that keeps moments of recipients' lives, whatever their channel: webhook tries. */
export interface TimelineSource {
  /** @returns in any order; empty for a recipient that the source knows nothing of */
  timelineOf(campaign: CampaignRecord, seq: number): Promise<TimelineEvent[]>;
}

/** Sources of timelines beside the engine and the channel; a module registers its own at start. */
@Injectable()
export class TimelineSources {
  private readonly sources: TimelineSource[] = [];

  register(source: TimelineSource): void {
    this.sources.push(source);
  }

  async timelineOf(campaign: CampaignRecord, seq: number): Promise<TimelineEvent[]> {
    const parts = await Promise.all(this.sources.map((source) => source.timelineOf(campaign, seq)));
    return parts.flat();
  }
}
