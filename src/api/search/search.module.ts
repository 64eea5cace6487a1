/** The built-in search. */
import { Module } from '@nestjs/common';
import { SearchController, ShortSearchController } from './search.controller.js';
import { Searches } from './searches.js';

@Module({ controllers: [SearchController, ShortSearchController], providers: [Searches] })
export class SearchModule {}
