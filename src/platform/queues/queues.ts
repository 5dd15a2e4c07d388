/** Every queue of the service. An unconfigured queue does not compile. */
export type QueueName = 'sms' | 'unofficial' | 'template' | 'branded' | 'voice';

export interface QueueSettings {
  /**
   * how long a worker may hold a job without a sign of life, milliseconds; short, because a job of a killed worker blocks
   * its id until then, and harmless, because a turn that runs twice finds its fence taken
   */
  lockDuration: number;
  /** what the queue carries, for the dashboard and the log */
  purpose: string;
}

const dispatch = (channel: string): QueueSettings => ({
  lockDuration: 10_000,
  purpose: `lanes of ${channel} campaigns`,
});

export const QUEUES: Record<QueueName, QueueSettings> = {
  sms: dispatch('SMS'),
  unofficial: dispatch('unofficial chat'),
  template: dispatch('template message'),
  branded: dispatch('branded template'),
  voice: dispatch('voice'),
};

export const QUEUE_NAMES = Object.keys(QUEUES) as QueueName[];

/** A lane that wants its next window. The fence makes the job's id: a second job for the same turn is never queued. */
export interface LaneJob {
  campaignId: number;
  lane: number;
  fence: number;
}

export const laneJobId = (job: LaneJob): string => `${job.campaignId}-${job.lane}-${job.fence}`;
