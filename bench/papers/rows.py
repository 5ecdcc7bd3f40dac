"""The table of a paper's tables and figures: what each shows, where it runs, what is measured here and what is not."""
from papers.results import Results, table


def words(item: dict) -> str:
    if not item["stand_in"]:
        return item["left_out"]
    return item["stand_in"] + (f" Left out: {item['left_out']}" if item["left_out"] else "")


def tables(results: Results) -> dict[str, str]:
    made = {}
    for paper in results.listing["papers"]:
        rows = [[item["id"], item["title"], item["place"], words(item)]
                for item in results.listing["items"] if item["paper"] == paper["name"]]
        made[f"{paper['name']} rows"] = table(
            ["item", "what it shows", "runs", "what is measured here, and what is left out"], rows)
    return made
