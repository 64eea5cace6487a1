/**
 * Writes the description of the API, as the code has it, to its output. `npm run openapi` keeps it as openapi.json; the server reads
 * that file, as making it takes half a second at each start.
 */
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { ApiModule, type ApiParts } from '../api.module.js';
import { documentOfApi } from './openapi.js';

// In a preview nothing is made of the classes, so it needs no parts.
const app = await NestFactory.create(ApiModule.with({} as ApiParts), { preview: true, logger: false });
await app.init();
process.stdout.write(JSON.stringify(documentOfApi(app)));
