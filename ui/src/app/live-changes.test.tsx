import { QueryClient } from "@tanstack/react-query";
import { act, waitFor } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { meQuery } from "@/api/access";
import { session } from "@/api/session";
import * as stream from "@/api/stream";
import { makeMe } from "@/testing/fixtures";
import { renderApp } from "@/testing/render-app";
import { LiveChanges } from "./live-changes";

const before = session.getState();
afterEach(() => session.setState(before, true));

it("follows changes from the moment when the account has a password of its own", async () => {
  const follow = vi.spyOn(stream, "followChanges").mockResolvedValue(undefined);
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
  const me = makeMe(["nodes.view"]);
  queries.setQueryData(meQuery.queryKey, { ...me, account: { ...me.account, must_change_password: true } });
  session.setState({ token: "ps_test" });
  await renderApp(<LiveChanges />, { queries });
  expect(follow).not.toHaveBeenCalled();
  act(() => void queries.setQueryData(meQuery.queryKey, me));
  await waitFor(() => expect(follow).toHaveBeenCalledOnce());
});
