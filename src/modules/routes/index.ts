export { ChatAccountsAdminModule, RoutesAdminModule } from './routes.module.js';
