/** The built-in search. */
import { Module } from '@nestjs/common';
import { SearchController } from './search.controller.js';
import { Searches } from './searches.js';

@Module({ controllers: [SearchController], providers: [Searches] })
export class SearchModule {}
