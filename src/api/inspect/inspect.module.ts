/** What would happen to a URL, a page, a robots.txt, and why. */
import { Module } from '@nestjs/common';
import { InspectController } from './inspect.controller.js';
import { NetworkGate } from './network-gate.js';
import { UrlInspector } from './url-inspector.js';

@Module({ controllers: [InspectController], providers: [UrlInspector, NetworkGate] })
export class InspectModule {}
