export { WebApplicationModule } from './web-application.module.js';
