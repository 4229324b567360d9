/** One rejected field of a request; `field` is a dotted path into the body. */
export interface FieldProblem {
  field: string;
  code: string;
  message: string;
}

/** What the panel says when it refuses, after RFC 9457. Tell problems apart by `code`, never by text. */
export interface ProblemDocument {
  type?: string;
  title?: string;
  status: number;
  detail?: string;
  code: string;
  request_id?: string;
  errors?: FieldProblem[];
  [extra: string]: unknown;
}

const retriable = new Set([429, 502, 503, 504]);

/** A refusal of the panel, or the lack of an answer (`code` is then `unreachable`). */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | undefined;
  readonly fields: FieldProblem[];
  readonly retryAfterSeconds: number | undefined;
  readonly document: ProblemDocument;

  constructor(document: ProblemDocument, retryAfterSeconds?: number) {
    super(document.detail ?? document.title ?? document.code);
    this.name = "Problem";
    this.status = document.status;
    this.code = document.code;
    this.requestId = document.request_id;
    this.fields = document.errors ?? [];
    this.retryAfterSeconds = retryAfterSeconds;
    this.document = document;
  }

  /** Whether asking again later can help. */
  get canRetry(): boolean {
    return this.code === "unreachable" || retriable.has(this.status);
  }

  /** The session behind the request is gone. */
  get endsSession(): boolean {
    return this.code === "no_session" || this.code === "session_expired";
  }
}

export function isProblem(error: unknown, code?: string): error is Problem {
  return error instanceof Problem && (code === undefined || error.code === code);
}

/** For ending something: it is no failure that it has gone already. */
export function unlessGone(error: unknown): void {
  if (!isProblem(error) || error.status !== 404) throw error;
}

/** Turns whatever was thrown into a Problem, so that every view draws one kind of error. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem({ status: 0, code: "unexpected", detail: error instanceof Error ? error.message : undefined });
}

export function unreachable(): Problem {
  return new Problem({ status: 0, code: "unreachable" });
}

/** Reads a refused response; a body that is no problem document still becomes one. */
export function problemOf(response: Response, body: unknown): Problem {
  const known = body !== null && typeof body === "object" && "code" in body ? (body as ProblemDocument) : undefined;
  const document: ProblemDocument = {
    ...known,
    status: response.status,
    code: known?.code ?? `http_${response.status}`,
    request_id: known?.request_id ?? response.headers.get("X-Request-Id") ?? undefined,
  };
  return new Problem(document, retryAfter(response.headers.get("Retry-After")));
}

function retryAfter(header: string | null): number | undefined {
  if (!header) return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, Math.ceil(seconds));
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}

/** Server field messages in the shape a form takes: dotted path to text. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!isProblem(error)) return {};
  return Object.fromEntries(error.fields.map((item) => [item.field.replace(/^body\./, ""), item.message]));
}
