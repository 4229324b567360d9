package assistant

import (
	"fmt"
	"testing"
)

func TestTry(t *testing.T) {
	s := seed(t)
	for _, q := range [][3]string{
		{"en", "/flows/" + s.flows["europe"], "Why does this flow leave through ams-2?"},
		{"ru", "/flows/" + s.flows["europe"], "Почему этот поток выходит через ams-2?"},
		{"en", "/", "What is red and since when?"},
		{"en", "/", "Who changed the port yesterday?"},
		{"ru", "/", "Кто вчера менял порт?"},
		{"en", "/", "Which nodes are offline?"},
		{"en", "/", "Which flows use ams-2?"},
		{"en", "/", "What would break if node ams-1 dies?"},
		{"en", "/", "What does port_conflict mean?"},
		{"en", "/", "How many clients do we have?"},
		{"en", "/", "When does the certificate expire?"},
		{"en", "/", "When was the last backup?"},
		{"en", "/", "Put ams-1 into maintenance"},
		{"en", "/", "How is fra-1 doing?"},
		{"en", "/", "What is the weather?"},
		{"en", "/", "What does Doctor find now?"},
		{"ru", "/flows/" + s.flows["europe"], "Замени ams-2 на fra-1"},
	} {
		var out struct {
			Answer struct {
				Understood bool
				Topic      string
				Paragraphs []struct{ Kind, Text string }
				Proposals  []struct {
					Title   string
					Request struct{ Method, Path string }
				}
				Read []struct{ Path string }
			}
		}
		s.ask(s.admin, q[0], q[1], q[2]).JSON(&out)
		fmt.Println("##", q[2], out.Answer.Understood, out.Answer.Topic)
		for _, p := range out.Answer.Paragraphs {
			fmt.Println("  ", p.Kind, p.Text)
		}
		for _, p := range out.Answer.Proposals {
			fmt.Println("   >>", p.Title, p.Request.Method, p.Request.Path)
		}
		fmt.Println("   reads", out.Answer.Read)
	}
}
