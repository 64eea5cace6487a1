/** Rule files under /v1. */
import { Module } from '@nestjs/common';
import { RuleFileController } from './rule-file.controller.js';

@Module({ controllers: [RuleFileController] })
export class RuleFileModule {}
