import { conflict, notFound } from '../../kernel/errors.js';

/** Errors of alarms (reference/admin#alarms). */
export const alarmErrors = {
  notFound: notFound('alarm_unknown', 'Alarm not found', 'unknown, or not raised'),
  cleared: conflict('alarm_cleared', 'Alarm is already cleared', 'it is past'),
};
