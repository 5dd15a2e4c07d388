// Nest's decorators write their metadata through this polyfill; it must be loaded before any decorated class.
import 'reflect-metadata';
