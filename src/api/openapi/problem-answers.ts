import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { type ProblemDocument, documentOf, type Problem } from '../problem.js';
import { ProblemDto } from './problem.dto.js';

/**
 * Describes the problems that a route may answer, each with an example made by the catalogue itself.
 * Problems of one status stand together.
 */
export function Problems(...problems: Problem[]) {
  const byStatus = Map.groupBy(problems, (problem) => problem.status);
  return applyDecorators(ApiExtraModels(ProblemDto), ...[...byStatus].map(([status, group]) => answer(status, group)));
}

function answer(status: number, problems: Problem[]) {
  const examples: Record<string, { summary: string; value: ProblemDocument }> = {};
  for (const problem of problems) examples[problem.code] = { summary: problem.title, value: documentOf(problem) };
  return ApiResponse({
    status,
    description: problems.map(({ code, title }) => `${code}: ${title}.`).join(' '),
    content: { 'application/problem+json': { schema: { $ref: getSchemaPath(ProblemDto) }, examples } },
  });
}
