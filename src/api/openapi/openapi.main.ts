/**
 * Writes the OpenAPI document, generated from the code, to standard output. `npm run openapi` stores it as openapi.json; the
 * server reads that file, because generating it would take half a second at each start.
 */
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { ApiModule, type ApiProviders } from '../api.module.js';
import { documentOfApi } from './openapi.js';

// In preview mode no class is instantiated, so no providers are needed.
const app = await NestFactory.create(ApiModule.with({} as ApiProviders), { preview: true, logger: false });
await app.init();
process.stdout.write(JSON.stringify(documentOfApi(app)));
