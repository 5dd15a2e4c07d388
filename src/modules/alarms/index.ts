export { AlarmsModule } from './alarms.module.js';
export { AlarmsWorkerModule } from './alarms.worker.module.js';
export { noteBackup } from './persistence/last-backup.js';
export { alarmTables } from './persistence/table-rules.js';
